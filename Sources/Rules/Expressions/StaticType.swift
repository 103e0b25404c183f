/// The type of the value of an expression, as far as it is known before evaluation.
enum StaticType {
    case string, number, boolean, null, regularExpression, list, snapshot, query
    /// Any value that `auth` may contain.
    case any
    /// Any value that a node may have; it has no members but those of strings.
    case primitive

    var isUntyped: Bool { self == .any || self == .primitive }
}

/// The members of snapshots, strings and queries.
enum Member: String {
    // Snapshots.
    case val, child, parent, hasChild, hasChildren, exists, getPriority, isNumber, isString, isBoolean
    // Strings.
    case length, contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase, matches
    // Queries.
    case orderByKey, orderByValue, orderByPriority, orderByChild, startAt, endAt, equalTo, limitToFirst, limitToLast

    /// The type that has the member: a snapshot, a string or a query.
    var owner: StaticType {
        switch self {
        case .val, .child, .parent, .hasChild, .hasChildren, .exists, .getPriority, .isNumber, .isString, .isBoolean:
            .snapshot
        case .length, .contains, .beginsWith, .endsWith, .replace, .toLowerCase, .toUpperCase, .matches:
            .string
        case .orderByKey, .orderByValue, .orderByPriority, .orderByChild, .startAt, .endAt, .equalTo, .limitToFirst,
            .limitToLast:
            .query
        }
    }

    /// Whether the member is a value, not a method.
    var isProperty: Bool { self == .length || owner == .query }

    /// The number of arguments; those of ``hasChildren`` are checked separately.
    var argumentCount: Int {
        switch self {
        case .child, .hasChild, .contains, .beginsWith, .endsWith, .matches: 1
        case .replace: 2
        default: 0
        }
    }

    /// The type of the property, or of the method's result.
    var type: StaticType {
        switch self {
        case .child, .parent: .snapshot
        case .length, .limitToFirst, .limitToLast: .number
        case .replace, .toLowerCase, .toUpperCase, .orderByChild: .string
        case .val, .getPriority, .startAt, .endAt, .equalTo: .primitive
        default: .boolean
        }
    }
}
