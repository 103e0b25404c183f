import TreeModel

extension Evaluator {
    mutating func number(_ position: Int, _ program: Program) throws(Interruption) -> Double {
        guard case .number(let number) = try evaluate(position, program) else { throw .fault(.notNumber) }
        return number
    }

    /// Returns the string that a method is called on.
    mutating func string(_ position: Int, _ program: Program) throws(Interruption) -> String {
        guard case .string(let string) = try evaluate(position, program) else { throw .fault(.notText) }
        return string
    }

    mutating func argument(_ position: Int, _ program: Program) throws(Interruption) -> String {
        guard case .string(let string) = try evaluate(position, program) else { throw .fault(.notTextArgument) }
        return string
    }

    mutating func snapshot(_ position: Int, _ program: Program) throws(Interruption) -> any RulesData {
        guard case .snapshot(let data) = try evaluate(position, program) else { throw .fault(.notSnapshot) }
        return data
    }

    mutating func compare(
        _ comparison: Program.Comparison, _ left: Int, _ right: Int, _ program: Program
    ) throws(Interruption) -> Bool {
        switch (try evaluate(left, program), try evaluate(right, program)) {
        case (.number(let one), .number(let other)):
            switch comparison {
            case .less: return one < other
            case .lessOrEqual: return one <= other
            case .greater: return one > other
            case .greaterOrEqual: return one >= other
            }
        case (.string(let one), .string(let other)):
            try spend(bytes: min(one.utf8.count, other.utf8.count))
            switch comparison {
            case .less: return RuleText.precedes(one, other)
            case .lessOrEqual: return !RuleText.precedes(other, one)
            case .greater: return RuleText.precedes(other, one)
            case .greaterOrEqual: return !RuleText.precedes(one, other)
            }
        default: throw .fault(.notComparable)
        }
    }

    /// Returns the sum of two numbers, or the concatenation of two strings, or of a string and a number.
    mutating func sum(_ left: Int, _ right: Int, _ program: Program) throws(Interruption) -> RuleValue {
        let one: String
        let other: String
        switch (try evaluate(left, program), try evaluate(right, program)) {
        case (.number(let one), .number(let other)): return .number(one + other)
        case (.string(let left), .string(let right)): (one, other) = (left, right)
        case (.string(let left), .number(let right)): (one, other) = (left, RuleText.text(of: right))
        case (.number(let left), .string(let right)): (one, other) = (RuleText.text(of: left), right)
        default: throw .fault(.notAddable)
        }
        let count = one.utf8.count + other.utf8.count
        try spend(bytes: count)
        guard count <= RuleText.maxBytes else { throw .fault(.tooLong) }
        return .string(one + other)
    }

    /// Returns the length of a string in UTF-16 code units, or the member `length` of an object in `auth`.
    mutating func length(of position: Int, _ program: Program) throws(Interruption) -> RuleValue {
        switch try evaluate(position, program) {
        case .string(let string):
            try spend(bytes: string.utf8.count)
            return .number(Double(string.utf16.count))
        case .structure(.object(let object)): return RuleValue(object[Member.length.rawValue])
        default: throw .fault(.noLength)
        }
    }
}

extension Program.Arithmetic {
    /// Returns the result of an arithmetic operator; a division by zero is not a number.
    func result(of one: Double, _ other: Double) -> Double {
        switch self {
        case .subtract: one - other
        case .multiply: one * other
        case .divide: other == 0 ? .nan : one / other
        case .remainder: one.truncatingRemainder(dividingBy: other)
        }
    }
}

// MARK: Methods

extension Evaluator {
    mutating func call(
        _ member: Member, on data: any RulesData, _ argument: Int, _ program: Program
    ) throws(Interruption) -> RuleValue {
        switch member {
        case .child:
            let path = try self.argument(argument, program)
            return .snapshot(try reading { _ throws(TreeError) in try data.child(path) })
        case .parent:
            guard let parent = data.parent() else { throw .fault(.noParent) }
            return .snapshot(parent)
        case .hasChild:
            let path = try self.argument(argument, program)
            return .bool(try hasChild(path, data))
        case .exists: return .bool(try reading { _ throws(TreeError) in try data.exists() })
        case .getPriority: return RuleValue(try reading { _ throws(TreeError) in try data.priority() })
        default:
            let value = try reading { _ throws(TreeError) in try data.value() }
            switch (member, value) {
            case (.val, _): return RuleValue(value)
            case (.isString, .string), (.isNumber, .number), (.isBoolean, .bool), (.hasChildren, .object):
                return .bool(true)
            default: return .bool(false)
            }
        }
    }

    private mutating func hasChild(_ path: String, _ data: any RulesData) throws(Interruption) -> Bool {
        guard !path.isEmpty else { return false }
        return try reading { _ throws(TreeError) in try data.child(path).exists() }
    }

    mutating func hasChildren(
        _ data: any RulesData, _ keys: [Int], _ program: Program
    ) throws(Interruption) -> Bool {
        var hasAll = true
        // All keys are evaluated: one that is not a string is a fault at any position.
        for key in keys {
            let path = try argument(key, program)
            guard hasAll else { continue }
            hasAll = try hasChild(path, data)
        }
        return hasAll
    }

    mutating func call(
        _ member: Member, on text: String, _ first: Int, _ second: Int, _ program: Program
    ) throws(Interruption) -> RuleValue {
        try spend(bytes: text.utf8.count)
        switch member {
        case .toLowerCase: return .string(text.lowercased())
        case .toUpperCase: return .string(text.uppercased())
        case .beginsWith: return .bool(RuleText.hasPrefix(try argument(first, program), text))
        case .endsWith: return .bool(RuleText.hasSuffix(try argument(first, program), text))
        case .contains:
            let part = try argument(first, program)
            return .bool(try searching { budget in RuleText.contains(part, text, budget: &budget) })
        default:
            let (part, replacement) = (try argument(first, program), try argument(second, program))
            let replaced = try searching { budget in
                RuleText.replacing(part, by: replacement, in: text, budget: &budget)
            }
            guard let replaced else { throw .fault(.tooLong) }
            try spend(bytes: replaced.utf8.count)
            return .string(replaced)
        }
    }
}

extension RulesQuery {
    /// Returns the value of a member of the variable `query`.
    func value(of member: Member) -> RuleValue {
        switch (member, order) {
        case (.orderByKey, _): .bool(order == .key)
        case (.orderByValue, _): .bool(order == .value)
        case (.orderByPriority, _): .bool(order == .priority)
        case (.orderByChild, .child(let path)): .string(path)
        case (.startAt, _): RuleValue(startAt)
        case (.endAt, _): RuleValue(endAt)
        case (.equalTo, _): RuleValue(equalTo)
        case (.limitToFirst, _): limitToFirst.map { .number(Double($0)) } ?? .null
        case (.limitToLast, _): limitToLast.map { .number(Double($0)) } ?? .null
        default: .null
        }
    }
}
