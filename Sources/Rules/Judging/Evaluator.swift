import TreeModel

/// Evaluates the rules of one read or write.
///
/// It contains the variables of rules, and moves along a path: `data` and `newData` are the nodes at ``depth``.
struct Evaluator: ~Copyable {
    /// The largest number of steps of one rule: evaluated parts, and the work on long strings.
    static let maxSteps = 1_000_000
    /// The number of bytes of a string that count as a step.
    private static let bytesOfStep = 16

    private let subject: RulesSubject
    private let auth: RuleValue
    private let query: RulesQuery
    /// The keys of the path, followed by those of the descendants while these are visited.
    private(set) var path: [String]
    /// The nodes on the path that have been read so far, before and after the write.
    private var nodes: [any RulesData]
    private var newNodes: [any RulesData]
    /// The node whose rules are evaluated.
    var depth = 0
    private var steps = 0
    /// The error behind ``Interruption/data``.
    private(set) var dataError: TreeError?
    /// The values of the parts of rules; nil without tracing.
    var trace: [RulesTrace.Part]?

    init(
        path: [String], subject: RulesSubject, query: RulesQuery = .none, data: any RulesData,
        newData: (any RulesData)? = nil
    ) {
        self.path = path
        self.subject = subject
        self.query = query
        auth = RuleValue(subject.auth)
        nodes = [data]
        newNodes = newData.map { [$0] } ?? []
    }

    // MARK: The path

    mutating func descend(to key: String) {
        path.append(key)
        depth += 1
    }

    mutating func ascend() {
        path.removeLast()
        depth -= 1
        nodes.removeLast(max(0, nodes.count - path.count - 1))
        newNodes.removeLast(max(0, newNodes.count - path.count - 1))
    }

    /// Returns the node at ``depth`` before the write.
    private mutating func data() throws(TreeError) -> any RulesData {
        while nodes.count <= depth { nodes.append(try nodes[nodes.count - 1].child(path[nodes.count - 1])) }
        return nodes[depth]
    }

    /// Returns the node at ``depth`` after the write, or the present node if nothing is written.
    mutating func newData() throws(TreeError) -> any RulesData {
        guard !newNodes.isEmpty else { return try data() }
        while newNodes.count <= depth {
            newNodes.append(try newNodes[newNodes.count - 1].child(path[newNodes.count - 1]))
        }
        return newNodes[depth]
    }

    // MARK: Rules

    /// Whether a rule is true; a rule that fails is not.
    ///
    /// - Throws: The errors of the data.
    mutating func isTrue(_ program: Program) throws(TreeError) -> Bool {
        do throws(Interruption) {
            steps = Self.maxSteps
            return try test(program.entry, program)
        } catch {
            switch error {
            case .fault(let fault):
                trace?.append(RulesTrace.Part(position: nil, value: fault.rawValue))
                return false
            case .data: throw dataError ?? TreeError(.engine, "the data of a rule could not be read")
            }
        }
    }

    /// Calls a function that reads data.
    mutating func reading<Result>(
        _ body: (inout Evaluator) throws(TreeError) -> Result
    ) throws(Interruption) -> Result {
        do throws(TreeError) {
            return try body(&self)
        } catch {
            dataError = error
            throw .data
        }
    }

    mutating func spend(bytes: Int) throws(Interruption) { try spend(bytes / Self.bytesOfStep) }

    /// Searches a string within the rule's limit of steps.
    mutating func searching<Result>(_ search: (inout Int) -> Result) throws(Interruption) -> Result {
        var budget = steps * Self.bytesOfStep
        let result = search(&budget)
        steps = budget / Self.bytesOfStep
        guard budget >= 0, steps > 0 else { throw .fault(.tooManySteps) }
        return result
    }

    private mutating func spend(_ count: Int = 1) throws(Interruption) {
        steps -= count
        guard steps > 0 else { throw .fault(.tooManySteps) }
    }

    /// Evaluates a part that is boolean regardless of the data.
    mutating func test(_ position: Int, _ program: Program) throws(Interruption) -> Bool {
        var position = position
        while true {
            switch program.operations[position] {
            case .all(let left, let right):
                try spend()
                guard try test(left, program) else { return false }
                position = right
            case .any(let left, let right):
                try spend()
                if try test(left, program) { return true }
                position = right
            case .not(let operand):
                try spend()
                let bool = try !test(operand, program)
                if trace != nil { trace?.append(RulesTrace.Part(position: position, value: "\(bool)")) }
                return bool
            default:
                guard case .bool(let bool) = try evaluate(position, program) else { return false }
                return bool
            }
        }
    }

    mutating func evaluate(_ position: Int, _ program: Program) throws(Interruption) -> RuleValue {
        let operation = program.operations[position]
        switch operation {
        case .all, .any, .not: return .bool(try test(position, program))
        default: break
        }
        try spend()
        let value = try value(of: operation, program)
        if trace != nil { trace?.append(RulesTrace.Part(position: position, value: value.words)) }
        return value
    }

    private mutating func value(
        of operation: Program.Operation, _ program: Program
    ) throws(Interruption) -> RuleValue {
        switch operation {
        case .constant(let number): return RuleValue(program.constants[number])
        case .key(let depth): return .string(path[depth])
        case .auth: return auth
        case .now: return .number(Double(subject.now.milliseconds))
        case .root: return .snapshot(nodes[0])
        case .data: return .snapshot(try reading { evaluator throws(TreeError) in try evaluator.data() })
        case .newData: return .snapshot(try reading { evaluator throws(TreeError) in try evaluator.newData() })
        case .query, .all, .any, .not: return .opaque
        case .conditional(let condition, let first, let second):
            return try test(condition, program) ? evaluate(first, program) : evaluate(second, program)
        case .negative(let operand): return .number(-(try number(operand, program)))
        case .equal(let left, let right, let isNegated):
            let (one, other) = (try evaluate(left, program), try evaluate(right, program))
            return .bool(RuleValue.areEqual(one, other) != isNegated)
        case .compare(let comparison, let left, let right): return .bool(try compare(comparison, left, right, program))
        case .add(let left, let right): return try sum(left, right, program)
        case .arithmetic(let arithmetic, let left, let right):
            let (one, other) = (try number(left, program), try number(right, program))
            return .number(arithmetic.result(of: one, other))
        case .member(let base, let name):
            guard case .string(let name) = program.constants[name] else { return .null }
            return try evaluate(base, program).member(name)
        case .index(let base, let index):
            let (base, index) = (try evaluate(base, program), try evaluate(index, program))
            switch index {
            case .string, .number: return base[index]
            default: throw .fault(.badIndex)
            }
        case .property(.length, let base): return try length(of: base, program)
        case .property(let member, let base):
            _ = try evaluate(base, program)
            return query.value(of: member)
        case .call(let member, let base, let first, let second):
            return member.owner == .snapshot
                ? try call(member, on: try snapshot(base, program), first, program)
                : try call(member, on: try string(base, program), first, second, program)
        case .hasChildren(let base, let list):
            return .bool(try hasChildren(try snapshot(base, program), program.lists[list], program))
        case .matches(let base, let expression):
            let text = try string(base, program)
            guard let matches = program.expressions[expression].matches(text, budget: &steps) else {
                throw .fault(.tooManySteps)
            }
            return .bool(matches)
        }
    }
}
