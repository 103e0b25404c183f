import Blobs
import Pipeline
import Posts
import Tree

/// Moving things that were dealt with to where a person finds them, each beside the document that says what became of it.
struct PutAway {
    let folder: Directory
    /// Where documents lie until they are whole.
    let staging: Directory
    /// Tells apart things of one name; put behind the name where it is taken.
    let mark: String

    /// Moves `name` and writes `NAME.{kind}.json` beside it. What is not there was moved before: then it is done.
    func put(_ name: String, from source: Directory, with document: [UInt8]? = nil, as kind: String = "") throws {
        guard try source.entry(name) != nil else { return }
        let newName = try folder.entry(name) == nil ? name : marked(name)
        if let document {
            try folder.write(document, as: "\(shortened(newName)).\(kind).json", staging: staging)
        }
        try source.move(name, to: folder, as: newName)
    }

    private func marked(_ name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return shortened(name) + "." + mark }
        return shortened(String(name[..<dot])) + "." + mark + name[dot...].prefix(20)
    }

    /// Leaves room for what is put behind the name: a file name has at most 255 bytes.
    private func shortened(_ name: String) -> String {
        var short = name
        while short.utf8.count > 180 { short.removeLast() }
        return short
    }
}

/// What lies beside a file in `done/`: the post that it became.
struct Receipt {
    let json: [UInt8]

    init(_ record: UploadRecord) {
        let document: TreeValue = [
            "post": .string(record.id.description), "user": .string(record.owner.description),
            "published_at": .integer(record.updatedAt),
            "sha256": .string(record.orderedPhotos.map(\.sha256).joined(separator: " ")),
        ]
        json = document.json(pretty: true) + [UInt8(ascii: "\n")]
    }
}
