public import Files
import Foundation

/// A folder of a test's own, deleted with all that is in it when the test is over.
public struct Scratch: Sendable {
    /// Absolute path; short, because the path of a Unix socket has at most 107 bytes.
    public let path: String

    /// A folder that is somebody else's to delete.
    public init(path: String) {
        self.path = path
    }

    /// The folder, held open.
    public func directory() throws -> Directory {
        try Directory(path: path)
    }

    /// Writes a file below the folder, making the folders on its way.
    public func write(_ text: String, to name: String) throws {
        try write(Array(text.utf8), to: name)
    }

    /// Writes a file below the folder, making the folders on its way.
    public func write(_ bytes: [UInt8], to name: String) throws {
        let url = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Reads a file below the folder.
    public func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")), as: UTF8.self)
    }

    /// Whether anything has this name below the folder.
    public func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }
}

/// Runs a test's body with a fresh folder, on ``ServiceThreads``: what has a folder mostly waits for a service.
public func withScratch<R>(_ body: (Scratch) async throws -> R) async throws -> R {
    try await ServiceThreads.run {
        let template = NSTemporaryDirectory() + "tt-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: template) }
        return try await body(Scratch(path: template))
    }
}
