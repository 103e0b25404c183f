public import Files
import Foundation

/// A test's own folder, deleted with its contents when the test ends.
public struct Scratch: Sendable {
    /// The absolute path; short, because the path of a Unix socket has at most 107 bytes.
    public let path: String

    /// Refers to a folder that other code deletes.
    public init(path: String) {
        self.path = path
    }

    /// Opens the folder.
    public func directory() throws -> Directory {
        try Directory(path: path)
    }

    /// Writes a file below the folder, and creates its parent folders.
    public func write(_ text: String, to name: String) throws {
        try write(Array(text.utf8), to: name)
    }

    /// Writes a file below the folder, and creates its parent folders.
    public func write(_ bytes: [UInt8], to name: String) throws {
        let url = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Reads a file below the folder.
    public func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")), as: UTF8.self)
    }

    /// Whether a file or folder has this name below the folder.
    public func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }
}

/// Runs a test's body with a fresh folder, on ``ServiceThreads``: tests with a folder mostly wait for a service.
public func withScratch<R>(_ body: (Scratch) async throws -> R) async throws -> R {
    try await ServiceThreads.run {
        let template = NSTemporaryDirectory() + "tt-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: template, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: template) }
        return try await body(Scratch(path: template))
    }
}
