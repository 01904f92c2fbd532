"""What COPT's Python library calls things: constants, attributes and parameters of version 8, as documented.

`COPT` is the class of constants that programs use.
"""

from types import SimpleNamespace

words = str.split

CONSTANTS = {
    "BASIS_BASIC": 1, "BASIS_FIXED": 4, "BASIS_LOWER": 0, "BASIS_SUPERBASIC": 3, "BASIS_UPPER": 2, "BINARY": "B",
    "CBCONTEXT_INCUMBENT": 8, "CBCONTEXT_MIPNODE": 4, "CBCONTEXT_MIPRELAX": 1, "CBCONTEXT_MIPSOL": 2,
    "CONE_QUAD": 1, "CONE_RQUAD": 2, "CONTINUOUS": "C", "DENSETYPE_COLMAJOR": -2, "DENSETYPE_ROWMAJOR": -1,
    "EQUAL": "E", "EVALTYPE_CONSTRVAL": 2, "EVALTYPE_GRADIENT": 4, "EVALTYPE_HESSIAN": 16, "EVALTYPE_JACOBIAN": 8,
    "EVALTYPE_OBJVAL": 1, "EXPCONE_DUAL": 4, "EXPCONE_PRIMAL": 3, "FREE": "N", "GENCONSTR_ABS": 1,
    "GENCONSTR_AND": 2, "GENCONSTR_MAX": 3, "GENCONSTR_MIN": 4, "GENCONSTR_OR": 5, "GENCONSTR_PWL": 6,
    "GREATER_EQUAL": "G", "IMPRECISE": 7, "INDICATOR_IF": 1, "INDICATOR_IFANDONLYIF": 3, "INDICATOR_ONLYIF": 2,
    "INFEASIBLE": 2, "INFINITY": 1e+30, "INF_OR_UNB": 4, "INTEGER": "I", "INTERRUPTED": 10, "ITERLIMIT": 11,
    "LESS_EQUAL": "L", "LOCAL_INFEASIBLE": 21, "LOCAL_OPTIMAL": 20, "MAXIMIZE": -1, "MINIMIZE": 1, "NODELIMIT": 6,
    "NUMERICAL": 5, "OPTIMAL": 1, "RANGE": "R", "SOS_TYPE1": 1, "SOS_TYPE2": 2, "TIMEOUT": 8, "UNBOUNDED": 3,
    "UNDEFINED": 1e+40, "UNFINISHED": 9, "UNSTARTED": 0, "VERSION_MAJOR": 8, "VERSION_MINOR": 0,
    "VERSION_TECHNICAL": 7,
}  # fmt: skip
CLIENT = {
    "CLIENT_CAFILE": "CaFile", "CLIENT_CERTFILE": "CertFile", "CLIENT_CERTKEYFILE": "CertKeyFile",
    "CLIENT_CLUSTER": "Cluster", "CLIENT_FLOATING": "Floating", "CLIENT_PASSWORD": "PassWord",
    "CLIENT_PORT": "Port", "CLIENT_PRIORITY": "Priority", "CLIENT_WAITTIME": "WaitTime",
    "CLIENT_WEBACESSKEY": "WebAccessKey", "CLIENT_WEBLICENSEID": "WebLicenseId", "CLIENT_WEBSERVER": "WebServer",
    "CLIENT_WEBTOKENDURATION": "WebTokenDuration",
}  # fmt: skip
INFORMATION = words("""
    BranchFactor Dual DualFarkas LB Obj PrimalRay RedCost RelaxLB RelaxUB RelaxValue SALBLow SALBUp SAObjLow
    SAObjUp SAUBLow SAUBUp Slack UB Value
""")
ATTRIBUTES = words("""
    AffineCones BarrierIter BestBnd BestGap BestObj Bins Cols Cones Elems ExpCones FeasRelaxObj HasBasis
    HasBranchFactor HasDualFarkas HasFeasRelaxSol HasIIS HasLpSol HasMipSol HasNLObj HasPrimalRay HasPsdObj
    HasQObj HasSensitivity HasSol IISCols IISIndicators IISRows IISSOSs Indicators Ints IsMIP IsMinIIS LmiConstrs
    LpObjVal LpStatus MaxBound MaxCost MaxElem MaxQCost MaxQElem MaxQLElem MaxQRHS MaxRHS MemPeak MinBound MinCost
    MinElem MinQCost MinQElem MinQLElem MinQRHS MinRHS MipStatus MultiObjs NLConstrs NLElems NodeCnt ObjBound
    ObjConst ObjSense ObjVal PDLPIter PoolSols PsdCols PsdConstrs PsdElems QConstrs QElems Rows SimplexIter
    SolvingTime Soss Status SymMats TuneResults
""")
PARAMETERS = words("""
    AbsGap BarHomogeneous BarIterLimit BarOrder BarStart BarThreads ConcurrentLpMode ConflictAnalysis Crossover
    CrossoverThreads CutLevel DivingHeurLevel DualPerturb DualPrice DualTol Dualize FAPHeurLevel FeasRelaxMode
    FeasTol GPUDevice GPUMode HeurLevel IISMethod IntTol LazyConstraints LinearizeIndicators LinearizeSos LogLevel
    LogToConsole Logging LpMethod MatrixTol MemLimit MipNLPIterLimit MipRepair MipStartMode MipStartNodeLimit
    MipTasks MultiObjAbsTol MultiObjParamMode MultiObjPriority MultiObjRelTol MultiObjTimeLimit MultiObjWeight
    NLPIterLimit NLPLinScale NLPMuUpdate NLPTol NodeCutRounds NodeLimit NonConvex PDLPTol PreRootHeurLevel
    Presolve QMatrixTol RelGap ReqFarkasRay ReqSensitivity RootCutLevel RootCutRounds RoundingHeurLevel SDPMethod
    Scaling SimplexThreads SolTimeLimit StrongBranching SubMipHeurLevel Threads TimeLimit TreeCutLevel TuneMeasure
    TuneMethod TuneMode TuneOutputLevel TunePermutes TuneTargetRelGap TuneTargetTime TuneTimeLimit WriteDualProb
""")
CALLBACK_INFORMATION = words("""
    BestBnd BestObj HasIncumbent Incumbent MipCandObj MipCandidate NodeStatus RelaxSolObj RelaxSolution
""")
# Real methods of a model that say or ask what the stand-in does not record.
UNSUPPORTED_METHODS = words("""
    addAffineCone addAffineCones addCone addConeByDim addCones addDenseMat addDiagMat addExpCone addExpConeByDim
    addExpCones addEyeMat addGenConstrIndicators addGenConstrPWL addLazyConstr addLazyConstrs addOnesMat addPsdVar
    addPsdVars addSOS addSparseMat addSymMat bsolve computeShadowPriceRange delNlObj delObjN delPsdObj
    feasRelax feasRelaxN feasRelaxS fsolve getA getAffineCone getAffineConeBuilders getAffineConeByName
    getAffineCones getAttrN getBasisHead getCol getCone getConeBuilders getCones getConstrBasis getConstrBuilders
    getConstrLowerIIS getConstrUpperIIS getExpCone getExpConeBuilders getExpCones getGenConstr getGenConstrByName
    getGenConstrIndicator getGenConstrIndicators getIndicatorIIS getLmiConstr getLmiConstrByName getLmiConstrs
    getLmiDuals getLmiRhs getLmiRow getLmiSlacks getLmiSolution getNlConstr getNlConstrBuilders getNlConstrByName
    getNlRow getObjParamN getObjectiveN getParamInfo getParamN getPoolObjValN getPoolSolution getPsdConstr
    getPsdConstrBuilders getPsdConstrByName getPsdConstrs getPsdDuals getPsdRedcosts getPsdRow getPsdSlacks
    getPsdSolution getPsdValues getPsdVar getPsdVarByName getPsdVars getQConstr getQConstrBuilders
    getQConstrByName getQuadRow getSOS getSOSBuilders getSOSIIS getSOSs getSymMat getVarBasis getVarLowerIIS
    getVarUpperIIS loadCone loadConeMatrix loadExpCone loadMatrix loadNlData loadQ loadTuneParam read readBasis
    readBin readCbf readJsonSol readLp readMps readMst readOrd readParam readSdpa readSol readTune resetObjParamN
    resetParamN setCallback setCoeffs setLmiRhs setLpSolution setObjParamN setObjectiveN setParamN writeMpsStr
""")
# Real names of the module beside those: what semidefinite, conic and callback models are made of, builders, arrays.
UNSUPPORTED_NAMES = words("""
    AffineConeBuilder CallbackBase Column ColumnArray ConeBuilder ExpConeBuilder GenConstrBuilder GenConstrX
    LmiExpr LogCallback NlpCallbackBase ProbBuffer PsdExpr PsdVar QConstrBuilder SOSBuilder SymMatExpr SymMatrix
    psdquicksum
""")


class COPT:
    """COPT's constants."""


for name, value in (CONSTANTS | CLIENT).items():
    setattr(COPT, name, value)
GROUPS = {"Info": INFORMATION, "Attr": ATTRIBUTES, "Param": PARAMETERS, "CbInfo": CALLBACK_INFORMATION}
for group, listed in GROUPS.items():
    constants = SimpleNamespace(**{name: name for name in listed})
    setattr(COPT, group, constants)
    setattr(COPT, group.lower(), constants)
COPT.CBInfo = COPT.CbInfo
