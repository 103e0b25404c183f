package import API
package import TreeModel

/// The choice of the tree that a request means.
package struct DatabaseNamespaces: Sendable {
    private let mainName: String
    private let publicHost: String?

    /// - Parameters:
    ///   - mainName: The name of the service's own tree, besides no name at all.
    ///   - publicHost: The host by which the service is known, in lower case; nil for none. It is no name of a tree.
    package init(mainName: String, publicHost: String?) {
        self.mainName = mainName.lowercased()
        self.publicHost = publicHost
    }

    /// The tree of a name: what the parameter `ns` says, else the first label of a host that is a domain, unless it is
    /// the service's public one.
    ///
    /// - Throws: `Failure` with the code `invalid_namespace`.
    package func namespace(named name: String?, host authority: String?) throws(Failure) -> Namespace {
        guard let name = name ?? authority.flatMap(firstLabel)?.description else { return .main }
        let lowercased = name.lowercased()
        guard lowercased != mainName else { return .main }
        do {
            return try Namespace(lowercased)
        } catch {
            throw Failure(
                .invalidNamespace, "\"\(name.prefix(80))\" is no name of a database", hint: error.hint ?? "")
        }
    }

    /// The first label of a domain of at least two; an address is none.
    private func firstLabel(of authority: String) -> Substring? {
        let host = authority.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard publicHost != String(Substring(host)).lowercased() else { return nil }
        guard let dot = host.firstIndex(of: UInt8(ascii: ".")), let last = host.last,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last)
        else { return nil }
        return Substring(host[..<dot])
    }
}
