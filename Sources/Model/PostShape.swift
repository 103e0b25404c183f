package import TreeModel

/// What readers of posts may rely on, whatever stands at `posts/{id}`: clients write there, too.
package enum PostShape {
    /// What a calendar can show: 100,000,000 days around 1970, in milliseconds (ECMA-262 §21.4.1.1).
    private static let times = -8.64e15...8.64e15
    /// Pixels; more than any picture has.
    private static let lengths = 1.0...1e9

    /// Why a record is no post that can be shown, such as "its timestamp is missing"; nil when it is one.
    package static func fault(of record: TreeValue) -> String? {
        guard record.object != nil else { return "it is no object" }
        guard let timestamp = record["timestamp"] else { return "its timestamp is missing" }
        guard let time = timestamp.doubleValue, times.contains(time) else {
            return "its timestamp is no time in milliseconds"
        }
        guard record["author"]?["uid"]?.stringValue?.isEmpty == false else { return "its author has no uid" }
        if let name = notText(["full_name", "profile_picture"], in: record["author"]) {
            return "its author's \(name) is no text"
        }
        let texts = PostField.allCases.filter { $0.shape == .text }.map(\.key)
        if let name = notText(texts, in: record) { return "its \(name) is no text" }
        return record["photos"].flatMap(faultOfPhotos)
    }

    /// The first of the fields that is there, and is no text.
    private static func notText(_ names: [TreeKey], in value: TreeValue?) -> TreeKey? {
        names.first { name in
            guard let field = value?[name] else { return false }
            return field.stringValue == nil
        }
    }

    private static func faultOfPhotos(_ photos: TreeValue) -> String? {
        // Only these keys are shown as a list.
        let numbers = (photos.object ?? [:]).keys.compactMap { Int($0.string) }.sorted()
        guard let records = photos.object, numbers == Array(0..<records.count) else { return "its photos are no list" }
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
