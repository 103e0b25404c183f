import Model
import Store
package import Tree

/// The owner of the bytes that one upload to the bucket has brought: the value at ``ObjectNodes/file``.
package struct ObjectFile: Sendable {
    /// The folder of the blob store that has them in one of their id.
    package let folder: String
    /// The object that they are, or were, of.
    package let name: ObjectName

    package init(folder: String, name: ObjectName) {
        self.folder = folder
        self.name = name
    }

    /// The folder, and the name behind a slash: no folder has one.
    package var value: TreeValue { .string("\(folder)/\(name)") }
}

extension ObjectFile {
    /// Reads the value; nil for what is none.
    package init?(_ value: TreeValue?) {
        guard let text = value?.stringValue, let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            let name = ObjectName(String(text[text.utf8.index(after: slash)...]))
        else { return nil }
        self.init(folder: String(text[..<slash]), name: name)
    }
}

extension TreeSnapshot {
    /// Whether an object has the bytes that are kept under an id.
    package func hasObject(withFile id: TreeKey) throws(TreeError) -> Bool {
        guard let file = ObjectFile(try get(ObjectNodes.file() / id)) else { return false }
        return try StoredObject(file.name, in: self)?.blob.postID == id.string
    }
}
