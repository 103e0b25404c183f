import Foundation
import Imaging
import TestSupport

@testable import Isolation

extension IsolatedRenderer {
    /// Renders bytes, by a file that has no name any more; on a thread of its own, for it may take its time.
    func render(_ bytes: [UInt8], recipes: [Recipe] = Recipe.defaults) async throws -> RenderedImage {
        let path = NSTemporaryDirectory() + "tt-" + UUID().uuidString
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try self.render(file.fileDescriptor, byteCount: bytes.count, recipes: recipes)
                    })
            }
        }
    }

    /// The process that renders the next photo, by its own word.
    func workerName() async throws -> String {
        do {
            _ = try await render(Rogue.photo("name"))
            return "nobody"
        } catch let error as ImageError {
            return error.message
        }
    }
}
