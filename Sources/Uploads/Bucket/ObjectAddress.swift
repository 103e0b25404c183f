import Foundation
import Model

/// The address of an object as clients have it from the bucket: `http://HOST/v0/b/BUCKET/o/NAME?…`.
struct ObjectAddress {
    /// Where the client has it from.
    let base: PublicBase
    let name: ObjectName

    /// Reads an address; nil for any other.
    init?(_ url: String) {
        guard let (base, object) = PublicBase.split(url),
            let text = String(object.unicodeScalars.prefix { $0 != "?" && $0 != "#" }).removingPercentEncoding,
            let name = ObjectName(text)
        else { return nil }
        self.base = base
        self.name = name
    }

    /// The characters that stand in an address as they are (RFC 3986 §2.3).
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// The address at which whoever has a download token may fetch an object, whatever the rules say; nil for what no
    /// address has.
    static func url(of name: ObjectName, token: String, at base: PublicBase) -> String? {
        guard let name = name.description.addingPercentEncoding(withAllowedCharacters: unreserved),
            let token = token.addingPercentEncoding(withAllowedCharacters: unreserved)
        else { return nil }
        return "\(base.origin)/v0/b/\(base.bucket)/o/\(name)?alt=media&token=\(token)"
    }

    /// The object of a `full_storage_uri`: `gs://BUCKET/NAME`, or the name alone, as iOS writes it. Nil for what is none.
    static func name(inURI uri: String) -> ObjectName? {
        // By scalars, as a character may be a slash with a mark that belongs to the name.
        let parts = uri.unicodeScalars.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count > 2, parts[0] == "gs:", parts[1].isEmpty else { return ObjectName(uri) }
        return parts.count == 4 ? ObjectName(String(parts[3])) : nil
    }
}
