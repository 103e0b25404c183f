import API
import Client
import Concurrency
import Files
import Foundation
import HTTPTypes
import Imaging
import NIOCore
import TreeModel
import Uploads

/// A folder with the files of a bucket, each named after its object, that is copied into the service's bucket. Objects
/// that already have the same bytes are not sent again.
struct BucketFolder: Sendable {
    /// The number of files that are sent at the same time.
    private static let width = 4
    private static let maxDepth = 64
    private static let pieceBytes = 1 << 20

    /// A file, and the name of its object.
    private struct File: Sendable {
        let name: String
        let path: String
    }

    /// The result of sending the files.
    struct Result: Sendable {
        /// The number of files that were sent.
        var sent = 0
        /// The number of files that the bucket already had.
        var known = 0
        var failures: [(name: String, failure: Failure)] = []
    }

    private enum Outcome: Sendable {
        case sent, known
        case failed(Failure)
    }

    private let files: [File]
    private let service: APIClient
    /// The path of the bucket's objects in addresses.
    private let objects: String

    /// Reads the names of the files in a folder and its subfolders, except names that begin with a dot.
    ///
    /// - Parameter bucket: The name of the service's bucket.
    /// - Throws: `FileError`.
    init(path: String, bucket: String, _ service: APIClient) throws(FileError) {
        var files: [File] = []
        try Self.add(Directory(path: path), at: "", depth: 0, to: &files)
        self.files = files
        self.service = service
        objects = "/v0/b/\(bucket.percentEncoded)/o"
    }

    private static func add(
        _ folder: Directory, at name: String, depth: Int, to files: inout [File]
    ) throws(FileError) {
        for entry in try folder.entries() where !entry.name.hasPrefix(".") {
            switch entry.kind {
            case .file: files.append(File(name: name + entry.name, path: "\(folder.path)/\(entry.name)"))
            case .folder:
                guard depth < maxDepth else {
                    throw FileError(
                        .tooDeep, "\(folder.path)/\(entry.name) is nested too deep",
                        hint: "Use fewer folders: an object cannot have such a name.")
                }
                try add(folder.folder(entry.name), at: "\(name)\(entry.name)/", depth: depth + 1, to: &files)
            case .other: continue
            }
        }
    }

    /// Sends each file whose object is missing or has other bytes.
    ///
    /// - Parameter report: Called after each file with the number of files that are done, and the number of all files.
    /// - Returns: The numbers of files, and the permanent errors of single files.
    /// - Throws: `Failure` when the service cannot be reached or reports a transient error; `CancellationError`.
    func send(_ report: (Int, Int) -> Void) async throws -> Result {
        var result = Result()
        var done = 0
        try await forEachConcurrently(files, concurrency: Self.width) { file in
            (file, try await send(file))
        } _: { file, outcome in
            done += 1
            switch outcome {
            case .sent: result.sent += 1
            case .known: result.known += 1
            case .failed(let failure): result.failures.append((file.name, failure))
            }
            report(done, files.count)
        }
        return result
    }

    private func send(_ file: File) async throws -> Outcome {
        do {
            try Task.checkCancellation()
            let source = try ByteSource(path: file.path)
            if try await isKnown(file, byteCount: source.byteCount ?? 0) { return .known }
            let type = Self.contentType(of: file.name)
            _ = try await service.send(
                .post, objects, query: ["name": file.name], headers: [.contentType: type],
                body: .stream(byteCount: source.byteCount, source))
            return .sent
        } catch let error as Failure {
            // Errors of a single file are reported at the end.
            guard !error.isTransient, error.code != .noService else { throw error }
            return .failed(error)
        } catch let error as FileError {
            return .failed(Failure(error))
        }
    }

    private func isKnown(_ file: File, byteCount: Int) async throws -> Bool {
        struct Object: Decodable {
            let size: String
            let md5Hash: String
        }
        let name = file.name.percentEncoded
        let answer: Data
        do {
            answer = try await service.send(.get, "\(objects)/\(name)")
        } catch let error as Failure where error.code == .notFound {
            return false
        }
        guard let object = try? JSONDecoder().decode(Object.self, from: answer), object.size == "\(byteCount)" else {
            return false
        }
        let reader = try FileReader(path: file.path)
        let digest = try await FileThreads.run { () throws(FileError) in
            var checksums = ObjectChecksums()
            _ = try FileRange(reader).read { bytes throws(FileError) in bytes.withUnsafeBytes { checksums.update($0) } }
            return checksums.finish().md5
        }
        return object.md5Hash == Data(digest).base64EncodedString()
    }

    /// Returns the media type for browsers. The types of photos are detected from their bytes.
    private static func contentType(of name: String) -> String {
        let format = name.split(separator: ".").last.flatMap { ImageFormat(fileExtension: $0) }
        return format?.contentType ?? "application/octet-stream"
    }
}
