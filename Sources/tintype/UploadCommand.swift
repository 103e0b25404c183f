import ArgumentParser
import Blobs
import Client
import Foundation
import HTTPTypes
import Tree

/// Sends photos to the running service.
struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload",
        abstract: "Publish photos through the running service.",
        discussion: """
            Each photo becomes a post of its own, unless --one-post puts all of them into one. The command waits until
            the posts are published, and prints their ids. A photo that is refused does not stop the others; the exit
            code is then 3. With --key, sending the same again gives the same post.

            EXAMPLES
              tintype upload photo.jpg --user maria --text "At the lake #summer"
              tintype upload IMG_*.jpg --user maria
              tintype upload 1.jpg 2.jpg --user maria --one-post --text "Two views" --json
              tintype upload --user maria --text "No photo, just words"
            """)

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("The photos; none for a post of text alone.", valueName: "photo"))
    var photos: [String] = []

    @Option(help: ArgumentHelp("Whose post it will be.", valueName: "user"))
    var user: String

    @Option(help: "The text of the post.")
    var text: String = ""

    @Option(
        help: ArgumentHelp("A name of yours for this upload: a repeated one finds the same post.", valueName: "key"))
    var key: String?

    @Flag(help: "Put all photos into one post.")
    var onePost = false

    @Flag(help: "Print one JSON document a post.")
    var json = false

    func validate() throws {
        if key != nil, photos.count > 1, !onePost {
            throw ValidationError("--key names one upload: send one photo, or use --one-post")
        }
    }

    func run() async throws {
        let service = try Service(storage)
        var progress = ProgressBar("photos")
        var (done, refused) = (0, 0)
        let posts: [[String]] = onePost || photos.isEmpty ? [photos] : photos.map { [$0] }
        try await inOrder(posts, concurrency: 4) { files in
            try await publish(files, to: service)
        } _: { result in
            done += 1
            switch result {
            case .success(let document):
                if json {
                    Terminal.say(String(decoding: document, as: UTF8.self).trimmingCharacters(in: .newlines))
                } else {
                    Terminal.say(Self.id(in: document))
                }
            case .failure(let error):
                refused += 1
                if json { Terminal.emit(error.document) } else { Terminal.complain("\(error)") }
                if posts.count == 1 { throw error.isTransient ? Outcome.tryAgain : Outcome.failed }
                if error.code == "no_service" { throw Outcome.tryAgain }
            }
            if posts.count > 1 { progress.update(done, of: posts.count, note: refused > 0 ? "\(refused) refused" : "") }
        }
        progress.finish()
        if refused > 0 { throw Outcome.partial }
    }

    private func publish(_ files: [String], to service: Service) async throws -> Result<Data, ServiceError> {
        do {
            var headers = HTTPFields()
            if let name = HTTPField.Name("Idempotency-Key") { headers[name] = key }
            guard files.count > 1 else {
                let body = try files.first.map(Self.body) ?? .none
                return .success(
                    try await service.send(
                        .post, "/v1/uploads", query: ["user": user, "text": text, "name": files.first.map(Self.name)],
                        headers: headers, body: body))
            }
            let draft = try await service.send(
                .post, "/v1/uploads", query: ["user": user, "draft": "true"], headers: headers)
            let upload = Self.id(in: draft)
            for file in files {
                _ = try await service.send(
                    .post, "/v1/uploads/\(upload)/photos", query: ["name": Self.name(file)], body: try Self.body(file))
            }
            return .success(
                try await service.send(.post, "/v1/uploads/\(upload)/publish", query: ["text": text]))
        } catch let error as ServiceError {
            return .failure(error.about(files.count == 1 ? files.first : nil))
        } catch let error as BlobError {
            return .failure(
                ServiceError(code: error.code.rawValue, message: error.message, hint: error.hint, isTransient: false))
        }
    }

    private static func name(_ path: String) -> String {
        URL(fileURLWithPath: path).lastPathComponent
    }

    private static func body(_ path: String) throws(BlobError) -> RequestBody {
        let file = try ByteSource(path: path)
        return .stream(byteCount: file.byteCount, file)
    }

    private static func id(in document: Data) -> String {
        struct Named: Decodable {
            let postId: String?
            let uploadId: String?
        }
        let named = try? JSONDecoder.snakeCase.decode(Named.self, from: document)
        return named?.postId ?? named?.uploadId ?? ""
    }
}

extension ServiceError {
    fileprivate func about(_ file: String?) -> ServiceError {
        guard let file, !message.contains(file) else { return self }
        return ServiceError(code: code, message: "\(file): \(message)", hint: hint, isTransient: isTransient)
    }

    fileprivate var document: TreeValue {
        ["outcome": "refused", "code": .string(code), "message": .string(message), "hint": .string(hint)]
    }
}
