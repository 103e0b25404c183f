import TreeModel

/// The value of an expression.
enum RuleValue {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case snapshot(any RulesData)
    /// An object or a list in `auth`.
    case structure(JSONValue)
    /// A value that is not null and equals nothing, not even itself: the value of a node with children.
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

    /// Whether two values are equal; values of different types never are.
    static func areEqual(_ one: RuleValue, _ other: RuleValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): RuleText.areSame(one, other)
        default: false
        }
    }

    /// Returns the member of a value with a name; null if there is none.
    func member(_ name: String) -> RuleValue {
        guard case .structure(let json) = self else { return .null }
        return RuleValue(json[name])
    }

    /// The member of an object, or the element of a list; null if there is none.
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

/// The reason why an expression has no value. The rule that contains it is false, regardless of the rest.
enum RuleFault: String {
    case notText = "a method of strings was called on a value that is not a string"
    case notTextArgument = "an argument is not a string"
    case notNumber = "an operand is not a number"
    case notAddable = "an operand of + is neither a number nor a string"
    case notComparable = "the operands are neither both numbers nor both strings"
    case noParent = "the root has no parent"
    case noLength = "the length of a value that is not a string was used"
    case badIndex = "an index is neither a string nor a number"
    case notSnapshot = "the value is not a snapshot"
    case tooLong = "a string would be longer than 10000000 bytes"
    case tooManySteps = "the rule needs too many steps"
}

/// The reason why the evaluation of an expression ended early.
enum Interruption: Error {
    case fault(RuleFault)
    /// The data could not be read; the evaluator holds the error.
    case data
}
