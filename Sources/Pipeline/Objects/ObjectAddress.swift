import Foundation
import Synchronization

/// The address of an object as clients have it from the bucket: `http://HOST/v0/b/BUCKET/o/NAME?…`.
struct ObjectAddress {
    /// Scheme, host and port, such as `http://127.0.0.1:9000`.
    let origin: String
    /// The bucket, as it stands there.
    let bucket: String
    let name: ObjectName

    /// Reads an address; nil for any other.
    init?(_ url: String) {
        let parts = url.split(separator: "/", maxSplits: 7, omittingEmptySubsequences: false)
        guard parts.count == 8, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty,
            parts[3] == "v0", parts[4] == "b", !parts[5].isEmpty, parts[6] == "o",
            let name = String(parts[7].prefix { $0 != "?" && $0 != "#" }).removingPercentEncoding
        else { return nil }
        guard let name = ObjectName(name) else { return nil }
        self.name = name
        origin = "\(parts[0])//\(parts[2])"
        bucket = String(parts[5])
    }

    /// The object of a `full_storage_uri`: `gs://BUCKET/NAME`, or the name alone, as iOS writes it. Nil for what is none.
    static func name(inURI uri: String) -> ObjectName? {
        guard uri.hasPrefix("gs://") else { return ObjectName(uri) }
        let parts = uri.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? ObjectName(String(parts[1])) : nil
    }
}

/// The addresses at which apps fetch what the service has made, from wherever they are.
package final class MediaAddresses: Sendable {
    private struct Place: Sendable {
        let origin: String
        let bucket: String
    }

    private let place = Mutex<Place?>(nil)

    init() {}

    /// Says by which address the service is known.
    ///
    /// - Parameters:
    ///   - origin: Scheme, host and port.
    ///   - bucket: The name of the bucket there.
    package func setPublic(origin: String, bucket: String) {
        place.withLock { $0 = Place(origin: origin, bucket: bucket) }
    }

    /// The absolute address of a file of ours, as if it were an object of the bucket.
    ///
    /// - Parameter url: An address that a client has of another object: where nobody said by which address the service is known, it
    ///   is known by that. Nil for none.
    /// - Returns: Nil where no address is known.
    func url(ofObject name: String, beside url: String?) -> String? {
        let known = place.withLock { $0 }
        let place = known ?? url.flatMap { ObjectAddress($0) }.map { Place(origin: $0.origin, bucket: $0.bucket) }
        guard let place else { return nil }
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let text = name.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        return "\(place.origin)/v0/b/\(place.bucket)/o/\(text)?alt=media"
    }
}
