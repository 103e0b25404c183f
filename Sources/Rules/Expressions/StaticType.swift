/// What is known of the value of an expression before it is evaluated.
enum StaticType {
    case string, number, boolean, null, regularExpression, list, snapshot, query
    /// Anything that `auth` may hold.
    case any
    /// Anything that may stand at a node; it has no members but those of strings.
    case primitive

    var isUntyped: Bool { self == .any || self == .primitive }
}

/// What the members of snapshots, strings and queries are.
enum Member: String {
    // Of snapshots.
    case val, child, parent, hasChild, hasChildren, exists, getPriority, isNumber, isString, isBoolean
    // Of strings.
    case length, contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase, matches
    // Of queries.
    case orderByKey, orderByValue, orderByPriority, orderByChild, startAt, endAt, equalTo, limitToFirst, limitToLast

    /// What has the member: a snapshot, a string or a query.
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

    /// Whether the member is a value, and no method.
    var isProperty: Bool { self == .length || owner == .query }

    /// The number of arguments; those of ``hasChildren`` are checked apart.
    var argumentCount: Int {
        switch self {
        case .child, .hasChild, .contains, .beginsWith, .endsWith, .matches: 1
        case .replace: 2
        default: 0
        }
    }

    /// The type of the property, or of what the method gives.
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
