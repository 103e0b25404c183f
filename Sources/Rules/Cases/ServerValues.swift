import TreeModel

/// Replaces the server values (`.sv`) in a value to be written, as the service does.
struct ServerValues {
    let tree: any RulesTree
    let now: Timestamp

    /// Returns the value with its server values replaced.
    ///
    /// - Parameter path: The path at which the value will be written.
    /// - Throws: ``TreeError`` with code `invalid_value` for an unknown server value.
    func resolve(_ value: JSONValue, at path: TreePath) throws(TreeError) -> JSONValue {
        switch value {
        case .list(let list):
            var resolved: [JSONValue] = []
            for (index, element) in list.enumerated() {
                resolved.append(try resolve(element, at: path / TreeKey(unchecked: "\(index)")))
            }
            return .list(resolved)
        case .object(let object):
            if let server = object[".sv"] {
                guard object.count == 1 else { throw Self.invalid(".sv must be the only member of its object") }
                return try self.value(of: server, at: path)
            }
            var resolved: [String: JSONValue] = [:]
            for (name, member) in object {
                // The value and the priority of the node itself.
                let isOwn = name == ".value" || name == ".priority"
                resolved[name] = try resolve(member, at: isOwn ? path : path / (try TreeKey(name)))
            }
            return .object(resolved)
        default: return value
        }
    }

    private func value(of server: JSONValue, at path: TreePath) throws(TreeError) -> JSONValue {
        if server == "timestamp" { return .integer(Int(now.milliseconds)) }
        let step: Double
        switch server["increment"] {
        case .integer(let integer)?: step = Double(integer)
        case .double(let double)?: step = double
        default: throw Self.invalid(".sv must be \"timestamp\" or {\"increment\": NUMBER}")
        }
        guard case .number(let number) = try tree.value(at: path) else { return .double(step) }
        return .double(number + step)
    }

    private static func invalid(_ complaint: String) -> TreeError { TreeError(.invalidValue, complaint) }
}
