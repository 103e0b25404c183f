package import TreeModel

/// The guarantees for readers of posts, which do not depend on what clients write at `posts/{id}`.
package enum PostShape {
    /// The range of times that a calendar can show: 100,000,000 days around 1970, in milliseconds (ECMA-262 §21.4.1.1).
    private static let times = -8.64e15...8.64e15
    /// The valid side lengths, in pixels; the limit is larger than any picture.
    private static let lengths = 1.0...1e9

    /// Returns the reason why a record cannot be shown as a post, such as "its timestamp is missing"; nil if it can.
    package static func fault(of record: TreeValue) -> String? {
        guard record.object != nil else { return "it is no object" }
        guard let timestamp = record["timestamp"] else { return "its timestamp is missing" }
        guard let time = timestamp.doubleValue, times.contains(time) else {
            return "its timestamp is no time in milliseconds"
        }
        guard record["author"]?["uid"]?.stringValue?.isEmpty == false else { return "its author has no uid" }
        if let name = notText(["full_name", "profile_picture"], in: record["author"]) {
            return "its author's \(name) is not a string"
        }
        let texts = PostField.allCases.filter { $0.shape == .text }.map(\.key)
        if let name = notText(texts, in: record) { return "its \(name) is not a string" }
        return record["photos"].flatMap(faultOfPhotos)
    }

    /// Returns the first of the fields that exists and is not a string.
    private static func notText(_ names: [TreeKey], in value: TreeValue?) -> TreeKey? {
        names.first { name in
            guard let field = value?[name] else { return false }
            return field.stringValue == nil
        }
    }

    private static func faultOfPhotos(_ photos: TreeValue) -> String? {
        // A list has exactly these keys.
        let numbers = (photos.object ?? [:]).keys.compactMap { Int($0.string) }.sorted()
        guard let records = photos.object, numbers == Array(0..<records.count) else {
            return "its photos are not a list"
        }
        return records.values.allSatisfy(isPhoto) ? nil : "one of its photos lacks its size or its renditions"
    }

    private static func isPhoto(_ photo: TreeValue) -> Bool {
        guard hasSize(photo), notText(["placeholder", "color", "alt"], in: photo) == nil else { return false }
        guard let renditions = photo["renditions"] else { return true }
        return renditions.object?.values.allSatisfy { hasSize($0) && $0["url"]?.stringValue != nil } ?? false
    }

    private static func hasSize(_ value: TreeValue) -> Bool {
        ["width", "height"].allSatisfy { lengths.contains(value[$0]?.doubleValue ?? 0) }
    }
}
