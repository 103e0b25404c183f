import API
import Files
import Foundation
import Imaging
import Inbox
import Keeping
import Logging
import Model
import NIOCore
import Service
import Store
import Tree
import Uploads

/// Creates a Storage folder with many posts, for measurements on a large store:
///
///     StoreMaker COUNT PHOTO DIR [PEOPLE]
///
/// One post is published in the usual way. All others are copies of its records, each with its own id, author and files, spread
/// over the last three years. Therefore all derived data exists, all hashes are correct, and `tintype store check` and
/// `tintype store verify` find nothing.
@main
struct StoreMaker {
    private struct Folder: Sendable {
        let owner: UserID
        let id: PostID
    }

    private static let batch = 250
    private static let years: Int64 = 3

    private let storage: StorageFolder
    private let count: Int
    private let people: Int
    /// The first post, with its files by their names.
    private let id: PostID
    private let owner: UserID
    private let files: [(name: String, bytes: [UInt8])]
    private let post: TreeValue
    private let record: TreeValue

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 3, let count = Int(arguments[1]), count > 0 else {
            FileHandle.standardError.write(Data("StoreMaker COUNT PHOTO DIR [PEOPLE]\n".utf8))
            exit(2)
        }
        let people = arguments.count > 3 ? Int(arguments[4]) ?? 1000 : 1000
        // The change log is not measured.
        let storage = try await StorageFolder.open(path: arguments[3], retention: ChangeRetention(count: 1000))
        let start = ContinuousClock.now
        let maker = try await StoreMaker(
            try FileReader(path: arguments[2]).readAll(maxBytes: 1 << 26), count: count, people: max(1, people),
            in: storage)
        try await maker.run()
        await storage.close()
        print("\(count) posts in \((ContinuousClock.now - start) / .seconds(1)) s")
    }

    /// Publishes the first post.
    private init(_ photo: [UInt8], count: Int, people: Int, in storage: StorageFolder) async throws {
        var settings = PipelineSettings(workers: 1)
        settings.recipes = [try Recipe(parsing: "thumb=64,cover")]
        let pipeline = Pipeline(storage: storage, settings: settings, logger: Logger(label: "store-maker"))
        let running = Task { try await pipeline.run() }
        let owner = try Self.person(0)
        let accepted = try await pipeline.receiver.begin(UploadRequest(owner: owner, intake: .socket)) { start in
            guard case .new(var session) = consume start else {
                throw Failure(.wrongState, "the folder is in use", hint: "Take another.")
            }
            var rest: ByteBuffer? = ByteBuffer(bytes: photo)
            try await session.receive(named: "photo.jpg", alt: "A photo") {
                defer { rest = nil }
                return rest
            }
            return try await session.accept(text: "number 0 #first")
        }
        let record = try await pipeline.store.end(of: accepted.id)
        running.cancel()
        _ = try? await running.value
        (self.storage, self.count, self.people, self.owner, id) = (storage, count, people, owner, record.id)
        var files: [(name: String, bytes: [UInt8])] = []
        for name in try await storage.blobs.fileNames(userID: owner.description, postID: id.description) {
            let blob = try BlobName(userID: owner.description, postID: id.description, fileName: name)
            files.append((name, try await storage.blobs.open(blob).readAll(maxBytes: 1 << 26)))
        }
        self.files = files
        guard let post = try await storage.tree.get(PostNodes.post(id)),
            let value = try await storage.tree.get(UploadNodes.upload(id))
        else { throw Failure(.wrongState, "the first post was not published", hint: "look at the photo") }
        (self.post, self.record) = (post, value)
    }

    private static func person(_ number: Int) throws -> UserID {
        guard let uid = UserID("person-\(number)-of-many") else { throw Failure.noUserID("person-\(number)") }
        return uid
    }

    private static func name(_ number: Int) -> TreeValue { .string("Person \(number)") }

    private func run() async throws {
        let now = WallClock.now().milliseconds
        let span = Self.years * 365 * 86_400_000
        var time = now - span
        let step = max(1, span / Int64(count))
        try await addPeople()
        var made = 1
        while made < count {
            let numbers = made..<min(made + Self.batch, count)
            var copies: [(id: PostID, owner: UserID, number: Int, time: Int64)] = []
            for number in numbers {
                let ids = PushIDGenerator(after: nil, clock: { [time] in Timestamp(milliseconds: time) })
                copies.append((ids.next(), try Self.person(number % people), number, time))
                time += step
            }
            let folders = copies.map { Folder(owner: $0.owner, id: $0.id) }
            async let written: Void = write(folders)
            var update = MultiPathUpdate()
            for copy in copies {
                let text = TreeValue.string("number \(copy.number)")
                update[PostNodes.post(copy.id)] = renamed(post, copy.id, copy.owner)
                    .setting([
                        "text": text, "timestamp": .integer(copy.time),
                        "author": [
                            "uid": .string(copy.owner.description), "full_name": Self.name(copy.number % people),
                        ],
                    ])
                update[UploadNodes.upload(copy.id)] = renamed(record, copy.id, copy.owner)
                    .setting([
                        "text": text, "created_at": .integer(copy.time), "updated_at": .integer(copy.time),
                        // The index of photos contains the first post alone.
                        "duplicates": .string(DuplicatePolicy.newPost.rawValue),
                    ])
            }
            try await storage.tree.update(update)
            try await written
            made = numbers.upperBound
            if made % 10_000 < Self.batch { FileHandle.standardError.write(Data("\(made)\n".utf8)) }
        }
    }

    private func addPeople() async throws {
        for start in stride(from: 0, to: people, by: Self.batch) {
            var update = MultiPathUpdate()
            for number in start..<min(start + Self.batch, people) {
                update[PeopleNodes.person(try Self.person(number)) / "full_name"] = Self.name(number)
            }
            try await storage.tree.update(update)
        }
    }

    /// Changes a record of the first post into that of a copy; addresses also contain the id and the owner.
    private func renamed(_ value: TreeValue, _ copy: PostID, _ uid: UserID) -> TreeValue {
        switch value {
        case .object(let fields): return .object(fields.mapValues { renamed($0, copy, uid) })
        case .string(let text):
            return .string(
                text.replacing(id.description, with: copy.description)
                    .replacing(owner.description, with: uid.description))
        default: return value
        }
    }

    /// Writes the files of copies; the caller may wait for the disk afterwards.
    private func write(_ copies: [Folder]) async throws {
        try await FileThreads.run { () throws(FileError) in
            for copy in copies {
                let folder = "\(storage.path)/blobs/\(copy.owner)/\(copy.id)"
                guard
                    (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil
                else { throw FileError(.io, "\(folder) cannot be made") }
                for file in files {
                    guard FileManager.default.createFile(atPath: "\(folder)/\(file.name)", contents: Data(file.bytes))
                    else { throw FileError(.io, "\(folder)/\(file.name) cannot be written") }
                }
            }
        }
    }
}

extension TreeValue {
    /// Returns the record with other fields.
    fileprivate func setting(_ fields: [TreeKey: TreeValue]) -> TreeValue {
        .object((object ?? [:]).merging(fields) { $1 })
    }
}
