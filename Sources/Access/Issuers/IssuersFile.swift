package import Cryptography
import Foundation
import TreeModel

/// A file of the operator that lists the trusted issuers and the naming of their users.
///
/// It is a JSON list with an object for each issuer: an OpenID Connect issuer (`issuer`, `audiences`, and, unless the
/// defaults apply, `keys`, `uid-claim`, `uid-prefix`, `provider` and `claims`), or a Firebase project
/// (`firebase-project`, `keys` for a machine without a network, and `claims`).
package struct IssuersFile: Sendable {
    private static let maxBytes = 1 << 20
    private static let providersOfIssuers = [
        "https://accounts.google.com": "google.com", "https://appleid.apple.com": "apple.com",
    ]

    package let issuers: [IssuerSettings]

    /// Reads the file; relative file names in it start from its folder.
    ///
    /// - Throws: ``KeyError`` that names the file, the issuer and the fault.
    package init(path: String) throws(KeyError) {
        let document = try KeyFile.read(path, maxBytes: Self.maxBytes)
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        do throws(KeyError) {
            try self.init(document: document, folder: folder)
        } catch {
            throw KeyError("\(path): \(error.message)")
        }
    }

    /// - Parameter folder: The folder from which relative file names in the document start.
    init(document: [UInt8], folder: String) throws(KeyError) {
        guard let entries = JSONValue(text: document)?.elements else {
            throw KeyError(
                #"it is not a JSON list such as [{"issuer": "https://id.example.com", "audiences": ["photos"]}]"#)
        }
        issuers = try entries.enumerated().map { (index, entry) throws(KeyError) in
            do throws(KeyError) {
                return try Self.issuer(entry, folder: folder, isOnlyOne: entries.count == 1)
            } catch {
                let name = entry["issuer"]?.string ?? entry["firebase-project"]?.string
                throw KeyError("issuer \(index + 1)\(name.map { " (\($0))" } ?? ""): \(error.message)")
            }
        }
    }

    private static func issuer(
        _ entry: JSONValue, folder: String, isOnlyOne: Bool
    ) throws(KeyError) -> IssuerSettings {
        guard let members = entry.members else { throw KeyError("it is not a JSON object") }
        let project = try text("firebase-project", in: entry)
        let known =
            project == nil
            ? ["issuer", "audiences", "keys", "uid-claim", "uid-prefix", "provider", "claims"]
            : ["firebase-project", "keys", "claims"]
        if let unknown = members.keys.sorted().first(where: { !known.contains($0) }) {
            throw KeyError("\"\(unknown)\" does not belong there; there are \(known.joined(separator: ", "))")
        }
        let source = try text("keys", in: entry).map { keySource($0, folder: folder) }
        let claims = try claims(in: entry)
        if let project { return try .firebase(project: project, keySource: source, claims: claims) }
        guard let issuer = try text("issuer", in: entry) else {
            throw KeyError("\"issuer\" is missing: the iss of the tokens, such as https://id.example.com")
        }
        guard let list = entry["audiences"]?.elements, !list.isEmpty, list.allSatisfy({ $0.string != nil }) else {
            throw KeyError("\"audiences\" is missing: a list with the ids that your apps have there")
        }
        let prefix = try text("uid-prefix", in: entry)
        // Otherwise the id "maria" could be a user of this service or of any of the issuers.
        guard prefix != nil || isOnlyOne else {
            throw KeyError(
                "\"uid-prefix\" is missing: with several issuers, it keeps the users of one from being taken for another's"
            )
        }
        let provider = try text("provider", in: entry) ?? defaultProvider(of: issuer)
        return try .oidc(
            issuer: issuer, audiences: list.compactMap(\.string), keySource: source ?? .discovery,
            uidClaim: try text("uid-claim", in: entry) ?? "sub", uidPrefix: prefix ?? "", provider: provider,
            claims: claims)
    }

    private static func claims(in entry: JSONValue) throws(KeyError) -> Set<String> {
        guard let value = entry["claims"] else { return [] }
        guard let list = value.elements, list.allSatisfy({ $0.string != nil }) else {
            throw KeyError("\"claims\" is not a list of names such as [\"groups\"]")
        }
        return Set(list.compactMap(\.string))
    }

    private static func text(_ name: String, in entry: JSONValue) throws(KeyError) -> String? {
        guard let value = entry[name] else { return nil }
        guard let text = value.string else { throw KeyError("\"\(name)\" is not a text") }
        return text
    }

    private static func keySource(_ text: String, folder: String) -> IssuerSettings.KeySource {
        if text.contains("://") { return .url(text) }
        return .file(path: text.hasPrefix("/") ? text : "\(folder == "" ? "." : folder)/\(text)")
    }

    /// Returns Firebase's name for the provider, or `oidc.` and the host.
    private static func defaultProvider(of issuer: String) -> String {
        let name = issuer.last == "/" ? String(issuer.dropLast()) : issuer
        return providersOfIssuers[name] ?? "oidc.\(URL(string: issuer)?.host()?.lowercased() ?? "issuer")"
    }
}

extension IssuerSettings {
    /// Checks that a token or a sign-in matches only one issuer.
    ///
    /// - Throws: ``KeyError`` that names the common part of two issuers.
    package static func check(_ issuers: [IssuerSettings]) throws(KeyError) {
        let names = Dictionary(grouping: issuers, by: \.issuer)
        if let twice = names.first(where: { $0.value.count > 1 })?.key {
            throw KeyError("\(twice) is named twice; an issuer has one entry, with all its audiences")
        }
        let providers = Dictionary(grouping: issuers.compactMap(\.provider), by: \.self)
        if let twice = providers.first(where: { $0.value.count > 1 })?.key {
            throw KeyError("two issuers have the provider \(twice); give one of them another \"provider\"")
        }
    }
}
