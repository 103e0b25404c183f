import Access
import Tree
import TreeModel

/// A write that a client leaves behind for the end of its connection (`onDisconnect`).
package struct DisconnectOperation: Sendable, Equatable {
    /// What the text of the operation means.
    package enum Form: String, Sendable {
        /// It is the new value, or the new priority, of what the path names.
        case set
        /// It is an object whose keys are paths below the path.
        case update
    }

    /// The most that an operation may write, in bytes of JSON.
    package static let maxBytes = 256 << 10

    let form: Form
    let path: DatabasePath
    let json: [UInt8]

    /// - Parameter json: What is written; server values are filled in when it is.
    package init(_ form: Form, at path: DatabasePath, json: [UInt8]) {
        self.form = form
        self.path = path
        self.json = json
    }

    /// The write, as its client asks for it.
    ///
    /// - Throws: `TreeError` for a text that writes nothing.
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

// MARK: Taking it back

extension DisconnectOperation {
    /// What is left of the operation when what it writes at a path and below it is taken back; nil for nothing.
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
    /// Whether another path is this one or lies below it.
    fileprivate func covers(_ other: DatabasePath) -> Bool {
        guard !isPriority else { return self == other }
        return node == other.node || node.isAncestor(of: other.node)
    }
}

// MARK: Its record

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

    /// The operation as a record of the tree, with who it is for.
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

    /// The operation in place of another one, for who that is for.
    func record(like other: TreeValue) -> TreeValue {
        guard case .object(var fields) = other else { return other }
        fields[Field.json] = .string(String(decoding: json, as: UTF8.self))
        return .object(fields)
    }

    /// Reads a record; nil for one that is none.
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
