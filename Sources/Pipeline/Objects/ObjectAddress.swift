import Foundation
import Posts

/// The address of an object as clients have it from the bucket: `http://HOST/v0/b/BUCKET/o/NAME?…`.
struct ObjectAddress {
    /// Where the client has it from.
    let place: MediaPlace
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
        place = MediaPlace(origin: "\(parts[0])//\(parts[2])", bucket: String(parts[5]))
    }

    /// The object of a `full_storage_uri`: `gs://BUCKET/NAME`, or the name alone, as iOS writes it. Nil for what is none.
    static func name(inURI uri: String) -> ObjectName? {
        guard uri.hasPrefix("gs://") else { return ObjectName(uri) }
        let parts = uri.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? ObjectName(String(parts[1])) : nil
    }
}
