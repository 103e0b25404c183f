package import API
package import TreeModel

/// The rules by which the tree of a request is chosen.
package struct DatabaseNamespaces: Sendable {
    private let mainName: String
    private let publicHost: String?

    /// - Parameters:
    ///   - mainName: The name of the service's own tree, which is also chosen by requests without a name.
    ///   - publicHost: The public host name of the service, in lower case, which is not the name of a tree; nil for
    ///     none.
    package init(mainName: String, publicHost: String?) {
        self.mainName = mainName.lowercased()
        self.publicHost = publicHost
    }

    /// Returns the tree of a request: named by the parameter `ns`, otherwise by the first label of a domain name in the
    /// host, unless that is the service's public one.
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
                .invalidNamespace, "\"\(name.prefix(80))\" is not the name of a database", hint: error.hint ?? "")
        }
    }

    /// Returns the first label of a domain name with at least two labels; nil for an IP address.
    private func firstLabel(of authority: String) -> Substring? {
        let host = authority.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard publicHost != String(Substring(host)).lowercased() else { return nil }
        guard let dot = host.firstIndex(of: UInt8(ascii: ".")), let last = host.last,
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last)
        else { return nil }
        return Substring(host[..<dot])
    }
}
