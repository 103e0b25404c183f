import Access
import Tree
import TreeModel

/// A write that a client stores for the end of its connection (`onDisconnect`).
package struct DisconnectOperation: Sendable, Equatable {
    /// The meaning of the operation's text.
    package enum Form: String, Sendable {
        /// The new value, or the new priority, of the path's target.
        case set
        /// An object whose keys are paths below the path.
        case update
    }

    /// The maximum size of an operation's JSON, in bytes.
    package static let maxBytes = 256 << 10

    let form: Form
    let path: DatabasePath
    let json: [UInt8]

    /// - Parameter json: The value to write; server values are filled in when it is applied.
    package init(_ form: Form, at path: DatabasePath, json: [UInt8]) {
        self.form = form
        self.path = path
        self.json = json
    }

    /// Returns the update that the client has requested.
    ///
    /// - Throws: `TreeError` if the text is not a valid update.
    func update(by requester: Requester?) throws(TreeError) -> JSONUpdate {
        let kind: JSONUpdate.Form =
            switch form {
            case .set: path.isPriority ? .priority : .value
            case .update: .update
            }
        var update = try JSONUpdate(kind, at: path.node, json: json)
        update.requester = requester
        return update
    }
}

// MARK: Cancelling

extension DisconnectOperation {
    /// Returns the rest of the operation after its writes at a path and below it are cancelled; nil if nothing remains.
    func without(_ path: DatabasePath) -> DisconnectOperation? {
        if path.covers(self.path) { return nil }
        guard form == .update, self.path.node.isAncestor(of: path.node),
            case .object(var members)? = JSONValue(text: json)
        else { return self }
        let count = members.count
        members = members.filter { key, _ in
            guard let below = try? TreePath(key) else { return true }
            return !path.covers(DatabasePath(self.path.node.appending(below)))
        }
        guard members.count < count else { return self }
        return members.isEmpty ? nil : DisconnectOperation(form, at: self.path, json: JSONValue.object(members).text)
    }
}

extension DatabasePath {
    /// Whether another path is this one or is below it.
    fileprivate func covers(_ other: DatabasePath) -> Bool {
        guard !isPriority else { return self == other }
        return node == other.node || node.isAncestor(of: other.node)
    }
}

// MARK: The stored record

extension DisconnectOperation {
    private enum Field {
        static let form: TreeKey = "form"
        static let tree: TreeKey = "tree"
        static let path: TreeKey = "path"
        static let priority: TreeKey = "priority"
        static let json: TreeKey = "json"
        static let identity: TreeKey = "as"
        static let auth: TreeKey = "auth"
    }

    /// Returns the operation as a record of the tree, with its identity.
    func record(for identity: Identity) -> TreeValue {
        var fields: [TreeKey: TreeValue] = [
            Field.form: .string(form.rawValue), Field.tree: .string(path.node.namespace.name),
            Field.path: .string(path.node.keys.map(\.string).joined(separator: "/")),
            Field.priority: .bool(path.isPriority), Field.json: .string(String(decoding: json, as: UTF8.self)),
        ]
        switch identity {
        case .admin: fields[Field.identity] = "admin"
        case .anonymous: fields[Field.identity] = "anonymous"
        case .user(let user):
            fields[Field.identity] = "user"
            fields[Field.auth] = .string(String(decoding: user.auth.text, as: UTF8.self))
        }
        return .object(fields)
    }

    /// Returns the operation as a record that replaces another one, with the identity of that.
    func record(like other: TreeValue) -> TreeValue {
        guard case .object(var fields) = other else { return other }
        fields[Field.json] = .string(String(decoding: json, as: UTF8.self))
        return .object(fields)
    }

    /// Reads a record; nil if it is malformed.
    static func read(_ record: TreeValue) -> (operation: DisconnectOperation, identity: Identity)? {
        guard let form = record[Field.form]?.stringValue.flatMap(Form.init),
            let tree = record[Field.tree]?.stringValue, let path = record[Field.path]?.stringValue,
            let node = try? TreePath(path, in: Namespace(unchecked: tree)), let json = record[Field.json]?.stringValue
        else { return nil }
        let isPriority = record[Field.priority] == .bool(true)
        let operation = DisconnectOperation(
            form, at: DatabasePath(node, isPriority: isPriority), json: Array(json.utf8))
        switch record[Field.identity]?.stringValue {
        case "admin": return (operation, .admin)
        case "anonymous": return (operation, .anonymous)
        case "user":
            guard let auth = record[Field.auth]?.stringValue.flatMap({ JSONValue(text: $0.utf8) }) else { return nil }
            return (operation, .user(User(uid: auth["uid"]?.string, auth: auth)))
        default: return nil
        }
    }
}
