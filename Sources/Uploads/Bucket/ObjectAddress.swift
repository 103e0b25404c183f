import Foundation
import Model

/// The address of an object that clients get from the bucket: `http://HOST/v0/b/BUCKET/o/NAME?…`.
struct ObjectAddress {
    /// The base of the address, at which the client reaches the service.
    let base: PublicBase
    let name: ObjectName

    /// Reads an address; nil if it is not that of an object.
    init?(_ url: String) {
        guard let (base, object) = PublicBase.split(url),
            let text = String(object.unicodeScalars.prefix { $0 != "?" && $0 != "#" }).removingPercentEncoding,
            let name = ObjectName(text)
        else { return nil }
        self.base = base
        self.name = name
    }

    /// The characters that are not escaped in an address (RFC 3986 §2.3).
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// Returns the address at which the holder of a download token may fetch an object, whatever the rules specify; nil
    /// if the name cannot be escaped.
    static func url(of name: ObjectName, token: String, at base: PublicBase) -> String? {
        guard let name = name.description.addingPercentEncoding(withAllowedCharacters: unreserved),
            let token = token.addingPercentEncoding(withAllowedCharacters: unreserved)
        else { return nil }
        return "\(base.origin)/v0/b/\(base.bucket)/o/\(name)?alt=media&token=\(token)"
    }

    /// Returns the object of a `full_storage_uri`: `gs://BUCKET/NAME`, or the name alone, as iOS writes it. Nil if it
    /// is malformed.
    static func name(inURI uri: String) -> ObjectName? {
        // The text is split by scalars, because a character may be a slash with a combining mark that belongs to the
        // name.
        let parts = uri.unicodeScalars.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count > 2, parts[0] == "gs:", parts[1].isEmpty else { return ObjectName(uri) }
        return parts.count == 4 ? ObjectName(String(parts[3])) : nil
    }
}
