/// Evaluates the conditions of storage rules.
struct StorageEvaluator {
    /// The largest number of steps of one decision.
    private static let maxSteps = 100_000
    /// The largest depth of nested calls.
    private static let maxDepth = 20
    /// The longest string, in bytes.
    private static let maxBytes = 100_000

    let request: StorageValue
    let resource: StorageValue
    let expressions: [String: RegularExpression]
    private var steps = maxSteps
    private var depth = 0

    init(request: StorageValue, resource: StorageValue, expressions: [String: RegularExpression]) {
        self.request = request
        self.resource = resource
        self.expressions = expressions
    }

    /// The names in scope: the wildcards of a path, the arguments of a function, and the functions.
    struct Scope {
        var names: [String: StorageValue]
        let functions: [String: StorageFunction]
    }

    /// Whether a condition is true; a condition that fails is not.
    mutating func isTrue(_ condition: Syntax, in scope: Scope) -> Bool {
        do throws(StorageFault) {
            depth = 0
            return try test(condition, in: scope)
        } catch {
            return false
        }
    }

    private mutating func spend(_ count: Int = 1) throws(StorageFault) {
        steps -= count
        guard steps > 0 else { throw .tooManySteps }
    }

    private mutating func test(_ syntax: Syntax, in scope: Scope) throws(StorageFault) -> Bool {
        guard case .bool(let bool) = try evaluate(syntax, in: scope) else { throw .notBoolean }
        return bool
    }

    private mutating func evaluate(_ syntax: Syntax, in scope: Scope) throws(StorageFault) -> StorageValue {
        try spend()
        switch syntax.kind {
        case .null: return .null
        case .bool(let bool): return .bool(bool)
        case .number(let number, let isWhole):
            guard isWhole, let integer = Int64(exactly: number) else { return .double(number) }
            return .integer(integer)
        case .string(let string): return .string(string)
        case .regularExpression: throw .badPattern
        case .name("request"): return request
        case .name("resource"): return resource
        case .name(let name):
            guard let value = scope.names[name] else { throw .noSuchField }
            return value
        case .list(let elements):
            var values: [StorageValue] = []
            for element in elements { values.append(try evaluate(element, in: scope)) }
            return .list(values)
        case .not(let operand): return .bool(try !test(operand, in: scope))
        case .negative(let operand): return try negate(try evaluate(operand, in: scope))
        case .all(let operands): return .bool(try chain(operands, endsAt: false, in: scope))
        case .any(let operands): return .bool(try chain(operands, endsAt: true, in: scope))
        case .conditional(let condition, let first, let second):
            return try evaluate(try test(condition, in: scope) ? first : second, in: scope)
        case .binary(let binary, let left, let right):
            return try combine(binary, try evaluate(left, in: scope), try evaluate(right, in: scope))
        case .member(let base, let name, _): return try field(name, of: try evaluate(base, in: scope))
        case .index(let base, let index):
            return try element(try evaluate(index, in: scope), of: try evaluate(base, in: scope))
        case .call(let callee, let arguments): return try call(callee, arguments, in: scope)
        }
    }

    /// Evaluates `&&`, which ends at false, or `||`, which ends at true: one side that decides outweighs others that
    /// fail.
    private mutating func chain(
        _ operands: [Syntax], endsAt end: Bool, in scope: Scope
    ) throws(StorageFault) -> Bool {
        var fault: StorageFault?
        for operand in operands {
            do throws(StorageFault) {
                if try test(operand, in: scope) == end { return end }
            } catch {
                guard error != .tooManySteps else { throw error }
                fault = fault ?? error
            }
        }
        if let fault { throw fault }
        return !end
    }

    // MARK: Fields and calls

    private func field(_ name: String, of value: StorageValue) throws(StorageFault) -> StorageValue {
        guard case .map(let fields) = value, let field = fields[name] else { throw .noSuchField }
        return field
    }

    private func element(_ index: StorageValue, of value: StorageValue) throws(StorageFault) -> StorageValue {
        switch (value, index) {
        case (.map, .string(let name)): return try field(name, of: value)
        case (.list(let list), .integer(let integer)):
            guard let index = Int(exactly: integer), list.indices.contains(index) else { throw .noSuchField }
            return list[index]
        default: throw .badIndex
        }
    }

    private mutating func call(
        _ callee: Syntax, _ arguments: [Syntax], in scope: Scope
    ) throws(StorageFault) -> StorageValue {
        var values: [StorageValue] = []
        for argument in arguments { values.append(try evaluate(argument, in: scope)) }
        if case .name(let name) = callee.kind {
            guard let function = scope.functions[name] else { throw .noSuchField }
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maxDepth else { throw .tooDeep }
            var inner = scope
            for (parameter, value) in zip(function.parameters, values) { inner.names[parameter] = value }
            return try evaluate(function.body, in: inner)
        }
        guard case .member(let base, let name, _) = callee.kind else { throw .noSuchField }
        return try call(name, on: try evaluate(base, in: scope), values)
    }

    private mutating func call(
        _ method: String, on value: StorageValue, _ arguments: [StorageValue]
    ) throws(StorageFault) -> StorageValue {
        switch (method, value) {
        case ("size", .string(let string)): return .integer(Int64(string.unicodeScalars.count))
        case ("size", .list(let list)): return .integer(Int64(list.count))
        case ("size", .map(let map)): return .integer(Int64(map.count))
        case ("size", _): throw .noSize
        case ("toMillis", .time(let milliseconds)): return .integer(milliseconds)
        case ("matches", .string(let text)):
            guard case .string(let pattern)? = arguments.first else { throw .notText }
            return .bool(try matches(text, pattern))
        default: throw .notText
        }
    }

    private mutating func matches(_ text: String, _ pattern: String) throws(StorageFault) -> Bool {
        let expression: RegularExpression
        if let known = expressions[pattern] {
            expression = known
        } else {
            // A pattern that was built from other strings: parsing it costs more than matching.
            try spend(1000 + pattern.utf8.count)
            guard let made = try? RegularExpression(pattern, dialect: .storage) else { throw .badPattern }
            expression = made
        }
        guard let matches = expression.matches(text, budget: &steps) else { throw .tooManySteps }
        return matches
    }
}

// MARK: Operators

extension StorageEvaluator {
    private func negate(_ value: StorageValue) throws(StorageFault) -> StorageValue {
        switch value {
        case .integer(let integer):
            guard integer != .min else { throw .overflow }
            return .integer(-integer)
        case .double(let double): return .double(-double)
        default: throw .notNumber
        }
    }

    private mutating func combine(
        _ binary: BinaryOperator, _ one: StorageValue, _ other: StorageValue
    ) throws(StorageFault) -> StorageValue {
        switch binary {
        case .equal: return .bool(StorageValue.areEqual(one, other))
        case .notEqual: return .bool(!StorageValue.areEqual(one, other))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return .bool(try compare(binary, one, other))
        case .isIn: return .bool(try contains(other, one))
        case .add, .subtract, .multiply, .divide, .remainder:
            switch (one, other) {
            case (.string(let one), .string(let other)) where binary == .add:
                guard one.utf8.count + other.utf8.count <= Self.maxBytes else { throw .tooLong }
                try spend((one.utf8.count + other.utf8.count) / 64)
                return .string(one + other)
            case (.integer(let one), .integer(let other)): return .integer(try calculate(binary, one, other))
            default:
                guard let one = one.number, let other = other.number else { throw .notNumber }
                return .double(calculate(binary, one, other))
            }
        }
    }

    private func contains(_ whole: StorageValue, _ part: StorageValue) throws(StorageFault) -> Bool {
        switch (whole, part) {
        case (.list(let list), _): return list.contains { StorageValue.areEqual($0, part) }
        case (.map(let map), .string(let name)): return map[name] != nil
        default: throw .badIndex
        }
    }

    private func compare(
        _ binary: BinaryOperator, _ one: StorageValue, _ other: StorageValue
    ) throws(StorageFault) -> Bool {
        switch (one, other) {
        case (.string(let one), .string(let other)):
            return order(binary, RuleText.precedes(one, other), RuleText.precedes(other, one))
        case (.time(let one), .time(let other)), (.integer(let one), .integer(let other)):
            return order(binary, one < other, other < one)
        default:
            guard let one = one.number, let other = other.number else { throw .notComparable }
            return !one.isNaN && !other.isNaN && order(binary, one < other, other < one)
        }
    }

    private func order(_ binary: BinaryOperator, _ isLess: Bool, _ isGreater: Bool) -> Bool {
        switch binary {
        case .less: isLess
        case .lessOrEqual: !isGreater
        case .greater: isGreater
        default: !isLess
        }
    }

    private func calculate(_ binary: BinaryOperator, _ one: Int64, _ other: Int64) throws(StorageFault) -> Int64 {
        let (result, overflows): (Int64, Bool)
        switch binary {
        case .add: (result, overflows) = one.addingReportingOverflow(other)
        case .subtract: (result, overflows) = one.subtractingReportingOverflow(other)
        case .multiply: (result, overflows) = one.multipliedReportingOverflow(by: other)
        case .divide, .remainder:
            guard other != 0 else { throw .divisionByZero }
            (result, overflows) =
                binary == .divide
                ? one.dividedReportingOverflow(by: other) : one.remainderReportingOverflow(dividingBy: other)
        default: throw .notNumber
        }
        guard !overflows else { throw .overflow }
        return result
    }

    private func calculate(_ binary: BinaryOperator, _ one: Double, _ other: Double) -> Double {
        switch binary {
        case .add: one + other
        case .subtract: one - other
        case .multiply: one * other
        case .divide: one / other
        default: one.truncatingRemainder(dividingBy: other)
        }
    }
}
