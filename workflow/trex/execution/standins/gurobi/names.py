"""What Gurobi's Python library calls things: constants, attributes and parameters of version 13, as documented.

`GRB` is the class of constants that programs use. The lists of attributes are those of one kind of object each: what is
in a list and not recorded by the stand-in is real but unsupported, what is in none does not exist.
"""

from types import SimpleNamespace

words = str.split

STATUSES = words("""
    LOADED OPTIMAL INFEASIBLE INF_OR_UNBD UNBOUNDED CUTOFF ITERATION_LIMIT NODE_LIMIT TIME_LIMIT SOLUTION_LIMIT
    INTERRUPTED NUMERIC SUBOPTIMAL INPROGRESS USER_OBJ_LIMIT WORK_LIMIT MEM_LIMIT LOCALLY_OPTIMAL
    LOCALLY_INFEASIBLE
""")
ERRORS = words("""
    OUT_OF_MEMORY NULL_ARGUMENT INVALID_ARGUMENT UNKNOWN_ATTRIBUTE DATA_NOT_AVAILABLE INDEX_OUT_OF_RANGE
    UNKNOWN_PARAMETER VALUE_OUT_OF_RANGE NO_LICENSE SIZE_LIMIT_EXCEEDED CALLBACK FILE_READ FILE_WRITE NUMERIC
    IIS_NOT_INFEASIBLE NOT_FOR_MIP OPTIMIZATION_IN_PROGRESS DUPLICATES NODEFILE Q_NOT_PSD QCP_EQUALITY_CONSTRAINT
    NETWORK JOB_REJECTED NOT_SUPPORTED EXCEED_2B_NONZEROS INVALID_PIECEWISE_OBJ UPDATEMODE_CHANGE CLOUD
    MODEL_MODIFICATION CSWORKER TUNE_MODEL_TYPES SECURITY
""")
LATER_ERRORS = ("NOT_IN_MODEL", "FAILED_TO_CREATE_MODEL", "INTERNAL")
# Where a callback is called from, and what it can ask there: the first number and the names.
CALLBACKS = {
    0: "POLLING PRESOLVE SIMPLEX MIP MIPSOL MIPNODE MESSAGE BARRIER MULTIOBJ IIS PDHG NLBAR",
    1000: "PRE_COLDEL PRE_ROWDEL PRE_SENCHG PRE_BNDCHG PRE_COECHG",
    2000: "SPX_ITRCNT SPX_OBJVAL SPX_PRIMINF SPX_DUALINF SPX_ISPERT",
    3000: "MIP_OBJBST MIP_OBJBND MIP_NODCNT MIP_SOLCNT MIP_CUTCNT MIP_NODLFT MIP_ITRCNT MIP_OPENSCENARIOS MIP_PHASE",
    4001: "MIPSOL_SOL MIPSOL_OBJ MIPSOL_OBJBST MIPSOL_OBJBND MIPSOL_NODCNT MIPSOL_SOLCNT MIPSOL_OPENSCENARIOS "
    "MIPSOL_PHASE",
    5001: "MIPNODE_STATUS MIPNODE_REL MIPNODE_OBJBST MIPNODE_OBJBND MIPNODE_NODCNT MIPNODE_SOLCNT MIPNODE_BRVAR "
    "MIPNODE_OPENSCENARIOS MIPNODE_PHASE",
    6001: "MSG_STRING RUNTIME WORK MEMUSED MAXMEMUSED",
    7001: "BARRIER_ITRCNT BARRIER_PRIMOBJ BARRIER_DUALOBJ BARRIER_PRIMINF BARRIER_DUALINF BARRIER_COMPL",
    8001: "MULTIOBJ_OBJCNT MULTIOBJ_SOLCNT MULTIOBJ_SOL MULTIOBJ_ITRCNT MULTIOBJ_OBJBST MULTIOBJ_OBJBND "
    "MULTIOBJ_STATUS MULTIOBJ_MIPGAP MULTIOBJ_NODCNT MULTIOBJ_NODLFT MULTIOBJ_RUNTIME MULTIOBJ_WORK",
    9001: "IIS_CONSTRMIN IIS_CONSTRMAX IIS_CONSTRGUESS IIS_BOUNDMIN IIS_BOUNDMAX IIS_BOUNDGUESS",
    10001: "PDHG_ITRCNT PDHG_PRIMOBJ PDHG_DUALOBJ PDHG_PRIMINF PDHG_DUALINF PDHG_COMPL",
    11001: "NLBAR_ITRCNT NLBAR_PRIMOBJ NLBAR_PRIMINF NLBAR_DUALINF NLBAR_COMPL",
}
GENERAL_CONSTRAINTS = words("MAX MIN ABS AND OR NORM NL INDICATOR PWL POLY EXP EXPA LOG LOGA POW SIN COS TAN LOGISTIC")
OPERATIONS = words("""
    CONSTANT VARIABLE PLUS MINUS MULTIPLY DIVIDE UMINUS SQUARE SQRT SIN COS TAN POW EXP LOG LOG2 LOG10 LOGISTIC
    TANH SIGNPOW
""")
OTHER = {
    "CONTINUOUS": "C", "BINARY": "B", "INTEGER": "I", "SEMICONT": "S", "SEMIINT": "N",
    "LESS_EQUAL": "<", "GREATER_EQUAL": ">", "EQUAL": "=", "MINIMIZE": 1, "MAXIMIZE": -1,
    "INFINITY": 1e100, "UNDEFINED": 1e101, "MAXINT": 2000000000,
    "SOS_TYPE1": 1, "SOS_TYPE2": 2,
    "BASIC": 0, "NONBASIC_LOWER": -1, "NONBASIC_UPPER": -2, "SUPERBASIC": -3,
    "MAX_NAMELEN": 255, "MAX_STRLEN": 512, "MAX_TAGLEN": 10240, "MAX_CONCURRENT": 64, "DEFAULT_CS_PORT": 61000,
    "VERSION_MAJOR": 13, "VERSION_MINOR": 0, "VERSION_TECHNICAL": 3,
    "BATCH_CREATED": 1, "BATCH_SUBMITTED": 2, "BATCH_ABORTED": 3, "BATCH_FAILED": 4, "BATCH_COMPLETED": 5,
    "CUTS_AUTO": -1, "CUTS_OFF": 0, "CUTS_CONSERVATIVE": 1, "CUTS_AGGRESSIVE": 2, "CUTS_VERYAGGRESSIVE": 3,
    "PRESOLVE_AUTO": -1, "PRESOLVE_OFF": 0, "PRESOLVE_CONSERVATIVE": 1, "PRESOLVE_AGGRESSIVE": 2,
    "METHOD_NONE": -1, "METHOD_AUTO": -1, "METHOD_PRIMAL": 0, "METHOD_DUAL": 1, "METHOD_BARRIER": 2,
    "METHOD_CONCURRENT": 3, "METHOD_DETERMINISTIC_CONCURRENT": 4, "METHOD_DETERMINISTIC_CONCURRENT_SIMPLEX": 5,
    "METHOD_PDHG": 6,
    "BARHOMOGENEOUS_AUTO": -1, "BARHOMOGENEOUS_OFF": 0, "BARHOMOGENEOUS_ON": 1,
    "BARORDER_AUTOMATIC": -1, "BARORDER_AMD": 0, "BARORDER_NESTEDDISSECTION": 1,
    "MIPFOCUS_BALANCED": 0, "MIPFOCUS_FEASIBILITY": 1, "MIPFOCUS_OPTIMALITY": 2, "MIPFOCUS_BESTBOUND": 3,
    "SIMPLEXPRICING_AUTO": -1, "SIMPLEXPRICING_PARTIAL": 0, "SIMPLEXPRICING_STEEPEST_EDGE": 1,
    "SIMPLEXPRICING_DEVEX": 2, "SIMPLEXPRICING_STEEPEST_QUICK": 3,
    "VARBRANCH_AUTO": -1, "VARBRANCH_PSEUDO_REDUCED": 0, "VARBRANCH_PSEUDO_SHADOW": 1, "VARBRANCH_MAX_INFEAS": 2,
    "VARBRANCH_STRONG": 3,
    "PARTITION_EARLY": 16, "PARTITION_ROOTSTART": 8, "PARTITION_ROOTEND": 4, "PARTITION_NODES": 2,
    "PARTITION_CLEANUP": 1,
    "PHASE_MIP_NOREL": 0, "PHASE_MIP_SEARCH": 1, "PHASE_MIP_IMPROVE": 2,
    "FEASRELAX_LINEAR": 0, "FEASRELAX_QUADRATIC": 1, "FEASRELAX_CARDINALITY": 2,
}  # fmt: skip

VARIABLE = words("""
    BarX BranchPriority IISLB IISLBForce IISUB IISUBForce LB Obj ObjN PStart PWLObjCvx Partition PoolIgnore PoolNX
    RC SALBLow SALBUp SAObjLow SAObjUp SAUBLow SAUBUp ScenNLB ScenNObj ScenNUB ScenNX Start UB UnbdRay VBasis VTag
    VType VarHintPri VarHintVal VarName X Xn
""")
LINEAR_CONSTRAINT = words("""
    BarPi CBasis CTag ConstrName DStart FarkasDual IISConstr IISConstrForce Lazy Pi RHS SARHSLow SARHSUp ScenNRHS
    Sense Slack
""")
QUADRATIC_CONSTRAINT = words("""
    IISQConstr IISQConstrForce QCName QCPi QCRHS QCSense QCSlack QCTag
""")
GENERAL_CONSTRAINT = words("""
    FuncNonlinear FuncPieceError FuncPieceLength FuncPieceRatio FuncPieces GenConstrType GenConstrName
    IISGenConstr IISGenConstrForce
""")
MODEL = words("""
    BarIterCount PDHGIterCount BoundSVio BoundSVioIndex BoundSVioSum BoundVio BoundVioIndex BoundVioSum ComplVio
    ComplVioIndex ComplVioSum ConcurrentWinMethod ConstrResidual ConstrResidualIndex ConstrResidualSum
    ConstrSResidual ConstrSResidualIndex ConstrSResidualSum ConstrSVio ConstrSVioIndex ConstrSVioSum ConstrVio
    ConstrVioIndex ConstrVioSum DNumNZs DualResidual DualResidualIndex DualResidualSum DualSResidual
    DualSResidualIndex DualSResidualSum DualSVio DualSVioIndex DualSVioSum DualVio DualVioIndex DualVioSum
    FarkasProof Fingerprint IISMinimal IntVio IntVioIndex IntVioSum IsMIP IsMultiObj IsQCP IsQP IterCount Kappa
    KappaExact LicenseExpiration MIPGap MaxBound MaxCoeff MaxMemUsed MaxObjCoeff MaxQCCoeff MaxQCLCoeff MaxQCRHS
    MaxQObjCoeff MaxRHS MaxVio MemUsed MinBound MinCoeff MinObjCoeff MinQCCoeff MinQCLCoeff MinQCRHS MinQObjCoeff
    MinRHS ModelName ModelSense NLBarIterCount NodeCount NumBinVars NumConstrs NumGenConstrs NumIntVars NumNZs
    NumObj NumObjPasses NumPWLObjVars NumQCNZs NumQConstrs NumQNZs NumSOS NumScenarios NumStart NumVars ObjBound
    ObjBoundC ObjCon ObjNAbsTol ObjNCon ObjNName ObjNPass ObjNPriority ObjNRelTol ObjNVal ObjNWeight
    ObjPassNIterCount ObjPassNMIPGap ObjPassNNodeCount ObjPassNObjBound ObjPassNObjVal ObjPassNOpenNodeCount
    ObjPassNRuntime ObjPassNStatus ObjPassNWork ObjVal OpenNodeCount PoolNBoundVio PoolNBoundVioIndex
    PoolNBoundVioSum PoolNConstrVio PoolNConstrVioIndex PoolNConstrVioSum PoolNIntVio PoolNIntVioIndex
    PoolNIntVioSum PoolNMaxVio PoolNObjVal PoolObjBound PoolObjVal Runtime Work ScenNName ScenNObjBound
    ScenNObjVal Server SolCount Status TuneResultCount
""")
OTHER_ATTRIBUTES = words("""
    BarStatus BatchErrorCode BatchErrorMessage BatchID BatchStatus PreFixVal VarPreStat IISSOS IISSOSForce
""")
PARAMETERS = words("""
    AggFill Aggregate BQPCuts BarConvTol BarCorrectors BarHomogeneous BarIterLimit BarOrder BarQCPConvTol
    BestBdStop BestObjStop BranchDir CSAPIAccessID CSAPISecret CSAppName CSAuthToken CSBatchMode CSClientLog
    CSGroup CSIdleTimeout CSManager CSPriority CSQueueTimeout CSRouter CSTLSInsecure CliqueCuts CloudAccessID
    CloudHost CloudPool CloudSecretKey ComputeServer ConcurrentJobs ConcurrentMIP ConcurrentMethod CoverCuts
    Crossover CrossoverBasis CutAggPasses CutPasses Cutoff Cuts DegenMoves Disconnected DisplayInterval
    DistributedMIPJobs DualImpliedCuts DualReductions FeasRelaxBigM FeasibilityTol FixVarsInIndicators
    FlowCoverCuts FlowPathCuts FuncMaxVal FuncNonlinear FuncPieceError FuncPieceLength FuncPieceRatio FuncPieces
    GUBCoverCuts GomoryPasses Heuristics IISMethod IgnoreNames ImpliedCuts ImproveStartGap ImproveStartNodes
    ImproveStartTime ImproveStartWork InfProofCuts InfUnbdInfo InheritParams IntFeasTol IntegralityFocus
    IterationLimit JSONSolDetail JobID LPWarmStart LazyConstraints LicenseID LiftProjectCuts LogFile LogToConsole
    MIPFocus MIPGap MIPGapAbs MIPSepCuts MIQCPMethod MIRCuts MarkowitzTol MasterKnapsackCuts MemLimit Method
    MinRelNodes MixingCuts ModKCuts MultiObjMethod MultiObjPre NLBarCFeasTol NLBarDFeasTol NLBarIterLimit
    NLBarPFeasTol NLPHeur NetworkAlg NetworkCuts NoRelHeurSolutions NoRelHeurTime NoRelHeurWork NodeLimit
    NodeMethod NodefileDir NodefileStart NonConvex NormAdjust NumericFocus OBBT ObjNumber ObjPassNumber ObjScale
    OptimalityTarget OptimalityTol OutputFlag PDHGAbsTol PDHGConvTol PDHGGPU PDHGIterLimit PDHGRelTol PSDCuts
    PSDTol PartitionPlace PerturbValue PoolGap PoolGapAbs PoolSearchMode PoolSolutions PreCrush PreDepRow PreDual
    PreMIQCPForm PrePasses PreQLinearize PreSOS1BigM PreSOS1Encoding PreSOS2BigM PreSOS2Encoding PreSparsify
    Presolve ProjImpliedCuts PumpPasses QCPDual Quad RINS RLTCuts Record RelaxLiftCuts ResultFile ScaleFlag
    ScenarioNumber Seed ServerPassword ServerTimeout SiftMethod Sifting SimplexPricing SoftMemLimit SolFiles
    SolutionLimit SolutionNumber SolutionTarget StartNodeLimit StartNumber StartTimeLimit StartWorkLimit
    StrongCGCuts SubMIPCuts SubMIPNodes Symmetry TSPort ThreadLimit Threads TimeLimit TokenServer TuneCleanup
    TuneCriterion TuneDynamicJobs TuneJobs TuneMetric TuneOutput TuneResults TuneTargetMIPGap TuneTargetTime
    TuneTimeLimit TuneTrials UpdateMode UserName VarBranch WLSAccessID WLSConfig WLSProxy WLSSecret WLSToken
    WLSTokenDuration WLSTokenRefresh WorkLimit WorkerPassword WorkerPool ZeroHalfCuts ZeroObjNodes
""")
# Real methods of a model that say or ask what the stand-in does not record.
UNSUPPORTED_METHODS = words("""
    addGenConstrNLAdv addGenConstrPWL addSOS cbCut cbGet cbGetNodeRel cbGetSolution cbLazy cbProceed cbSetParam
    cbSetSolution cbStopOneMultiObj cbUseSolution convertToFixed dualize feasRelax feasRelaxS feasibility fixed
    getA getConcurrentEnv getGenConstrAbs getGenConstrAnd getGenConstrCos getGenConstrExp getGenConstrExpA
    getGenConstrIndicator getGenConstrLog getGenConstrLogA getGenConstrLogistic getGenConstrMax getGenConstrMin
    getGenConstrNL getGenConstrNLAdv getGenConstrNorm getGenConstrOr getGenConstrPWL getGenConstrPoly
    getGenConstrPow getGenConstrSin getGenConstrTan getJSONSolution getMultiobjEnv getPWLObj getQ getQCMatrices
    getSOS getTuneResult linearize optimizeAsync optimizeBatch presolve read setPWLObj singleScenarioModel
    singularVectors sync
""")


class GRB:
    """Gurobi's constants."""


def fill() -> None:
    statuses = {name: number for number, name in enumerate(STATUSES, 1)}
    errors = {name: number for number, name in enumerate(ERRORS, 10001)}
    errors |= {name: number for number, name in enumerate(LATER_ERRORS, 20001)}
    callbacks = {name: k for start, names in CALLBACKS.items() for k, name in enumerate(words(names), start)}
    attributes = [
        *VARIABLE, *LINEAR_CONSTRAINT, *QUADRATIC_CONSTRAINT, *GENERAL_CONSTRAINT, *MODEL, *OTHER_ATTRIBUTES
    ]  # fmt: skip
    constants = OTHER | statuses
    constants |= {f"ERROR_{name}": number for name, number in errors.items()}
    constants |= {f"GENCONSTR_{name}": number for number, name in enumerate(GENERAL_CONSTRAINTS)}
    constants |= {f"OPCODE_{name}": number for number, name in enumerate(OPERATIONS)}
    for name, values in (
        ("Status", statuses),
        ("Error", errors),
        ("Callback", callbacks),
        ("Attr", {name: name for name in attributes}),
        ("Param", {name: name for name in PARAMETERS}),
    ):
        constants[name] = constants[name.lower()] = SimpleNamespace(**values)
    for name, value in constants.items():
        setattr(GRB, name, value)


fill()
