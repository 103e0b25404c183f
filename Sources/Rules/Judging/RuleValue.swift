import TreeModel

/// What an expression comes to.
enum RuleValue {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case snapshot(any RulesData)
    /// An object or a list in `auth`.
    case structure(JSONValue)
    /// Something that is not null and equals nothing, not even itself: the value of a node with children.
    case opaque

    init(_ scalar: RulesScalar) {
        self =
            switch scalar {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .number(let number): .number(number)
            case .string(let string): .string(string)
            case .object: .opaque
            }
    }

    init(_ json: JSONValue?) {
        self =
            switch json {
            case nil, .null?: .null
            case .bool(let bool)?: .bool(bool)
            case .integer(let integer)?: .number(Double(integer))
            case .double(let double)?: .number(double)
            case .string(let string)?: .string(string)
            case .list?, .object?: .structure(json ?? .null)
            }
    }

    init(_ constant: Program.Constant) {
        self =
            switch constant {
            case .null: .null
            case .bool(let bool): .bool(bool)
            case .number(let number): .number(number)
            case .string(let string): .string(string)
            case .opaque: .opaque
            }
    }

    /// Whether two values are the same; those of different types never are.
    static func areEqual(_ one: RuleValue, _ other: RuleValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): RuleText.areSame(one, other)
        default: false
        }
    }

    /// The member of a value with a name; null where there is none.
    func member(_ name: String) -> RuleValue {
        guard case .structure(let json) = self else { return .null }
        return RuleValue(json[name])
    }

    /// The member of an object, or the element of a list; null where there is none.
    subscript(index: RuleValue) -> RuleValue {
        guard case .structure(let json) = self else { return .null }
        switch (json, index) {
        case (.object(let object), .string(let name)): return RuleValue(object[name])
        case (.object(let object), .number(let number)): return RuleValue(object[RuleText.text(of: number)])
        case (.list(let list), .number(let number)):
            guard let index = Int(exactly: number), list.indices.contains(index) else { return .null }
            return RuleValue(list[index])
        default: return .null
        }
    }
}

/// Why an expression has no value. The rule that it is in is false then, whatever is around it.
enum RuleFault: String {
    case notText = "a method of strings was called on something that is no string"
    case notTextArgument = "an argument is no string"
    case notNumber = "an operand is no number"
    case notAddable = "an operand of + is neither a number nor a string"
    case notComparable = "the operands are neither both numbers nor both strings"
    case noParent = "the root has no parent"
    case noLength = "there is no length of what is no string"
    case badIndex = "an index is neither a string nor a number"
    case notSnapshot = "this is no snapshot"
    case tooLong = "a string would be longer than 10000000 bytes"
    case tooManySteps = "the rule takes too many steps"
}

/// Why the evaluation of an expression ended early.
enum Interruption: Error {
    case fault(RuleFault)
    /// The data could not be read; the evaluator knows why.
    case data
}
