import Files
import Store
import Testing

@Suite("P6: a blob is named user_id/post_id/file_name, and no name leads out of the store")
struct BlobNameTests {
    @Test(arguments: [
        "", ".", "..", "../etc", "a/b", "/etc", ".hidden", "nul\0byte", "line\nbreak", "späth", "a b", "%2e%2e",
        String(repeating: "x", count: 256), String(repeating: "x", count: 300),
    ])
    func refused(part: String) {
        for (user, post, file) in [(part, "p", "f"), ("u", part, "f"), ("u", "p", part)] {
            let error = #expect(throws: FileError.self) {
                try BlobName(userID: user, postID: post, fileName: file)
            }
            #expect(error?.code == .badName)
            #expect(error?.hint.isEmpty == false)
        }
    }

    @Test(arguments: [
        ("maria", "-NabcDEF_123", "original.jpg"), ("_", "-", "0"), ("a-b_c", "p", String(repeating: "x", count: 255)),
    ])
    func accepted(user: String, post: String, file: String) throws {
        let name = try BlobName(userID: user, postID: post, fileName: file)
        #expect(name.description == "\(user)/\(post)/\(file)")
        #expect(try BlobName(name.description) == name)
    }

    @Test(arguments: ["a/b", "a/b/c/d", "/a/b/c", "a//c", ""])
    func printedNamesWithOtherShapesAreRefused(text: String) {
        #expect(throws: FileError.self) { try BlobName(text) }
    }
}
