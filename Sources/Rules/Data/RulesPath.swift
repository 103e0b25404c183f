package import TreeModel

/// The path that a rule gives to a method of a snapshot.
package enum RulesPath {
    /// The keys of a path with `/` between them; nil where nothing can ever be: at the empty path, and at one with
    /// something that is no key.
    package static func keys(of path: String) -> [TreeKey]? {
        var keys: [TreeKey] = []
        for name in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let key = try? TreeKey(String(Substring(name))) else { return nil }
            keys.append(key)
        }
        return keys.isEmpty ? nil : keys
    }
}
