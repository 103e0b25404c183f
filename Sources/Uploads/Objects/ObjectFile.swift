import Model
import Store
package import Tree

/// The owner of the bytes of one upload to the bucket: the value at ``ObjectNodes/file``.
package struct ObjectFile: Sendable {
    /// The folder of the blob store that holds the bytes, in a subfolder with their id.
    package let folder: String
    /// The object to which the bytes belong or belonged.
    package let name: ObjectName

    package init(folder: String, name: ObjectName) {
        self.folder = folder
        self.name = name
    }

    /// The folder, a slash, and the name. Folder names contain no slash.
    package var value: TreeValue { .string("\(folder)/\(name)") }
}

extension ObjectFile {
    /// Reads the value; nil if it is malformed.
    package init?(_ value: TreeValue?) {
        guard let text = value?.stringValue, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            let name = ObjectName(String(text[text.utf8.index(after: slash)...]))
        else { return nil }
        self.init(folder: String(text[..<slash]), name: name)
    }
}

extension TreeSnapshot {
    /// Whether the bytes with an id are the current bytes of an object.
    package func hasObject(withFile id: TreeKey) throws(TreeError) -> Bool {
        guard let file = ObjectFile(try get(ObjectNodes.file() / id)) else { return false }
        return try StoredObject(file.name, in: self)?.blob.postID == id.string
    }
}
