import Foundation
import Posts

/// The address of an object as clients have it from the bucket: `http://HOST/v0/b/BUCKET/o/NAME?…`.
struct ObjectAddress {
    /// Where the client has it from.
    let place: MediaPlace
    let name: ObjectName

    /// Reads an address; nil for any other.
    init?(_ url: String) {
        let parts = Self.split(url, maxSplits: 7)
        guard parts.count == 8, ["http:", "https:"].contains(parts[0]), parts[1].isEmpty, !parts[2].isEmpty,
            parts[3] == "v0", parts[4] == "b", !parts[5].isEmpty, parts[6] == "o",
            let name = String(parts[7].unicodeScalars.prefix { $0 != "?" && $0 != "#" }).removingPercentEncoding
        else { return nil }
        guard let name = ObjectName(name) else { return nil }
        self.name = name
        place = MediaPlace(origin: "\(parts[0])//\(parts[2])", bucket: String(parts[5]))
    }

    /// What is between slashes: by scalars, as a character may be a slash with a mark that belongs to the name.
    private static func split(_ text: some StringProtocol, maxSplits: Int) -> [Substring] {
        Substring(text).unicodeScalars.split(separator: "/", maxSplits: maxSplits, omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// The object of a `full_storage_uri`: `gs://BUCKET/NAME`, or the name alone, as iOS writes it. Nil for what is none.
    static func name(inURI uri: String) -> ObjectName? {
        let parts = split(uri, maxSplits: 3)
        guard parts.count > 2, parts[0] == "gs:", parts[1].isEmpty else { return ObjectName(uri) }
        return parts.count == 4 ? ObjectName(String(parts[3])) : nil
    }
}
