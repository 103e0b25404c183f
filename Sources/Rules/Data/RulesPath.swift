package import TreeModel

/// The path that a rule passes to a method of a snapshot.
package enum RulesPath {
    /// Returns the keys of a path with `/` between them; nil if there can never be a value: at the empty path, and at
    /// one with an invalid key.
    package static func keys(of path: String) -> [TreeKey]? {
        var keys: [TreeKey] = []
        for name in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let key = try? TreeKey(String(Substring(name))) else { return nil }
            keys.append(key)
        }
        return keys.isEmpty ? nil : keys
    }
}
