import API
package import Files
import Isolation
import Model
import Store
package import Tree

/// Photos that broke their decoder are remembered by their bytes, and refused from then on without being decoded.
///
/// Not for ever: decoders are mended, and what was poison to the old one may be a photo to the new. So a refusal holds for a
/// while, for the program and the libraries that came to it, and until a person asks for another try.
package struct PoisonList: Sendable {
    let tree: TreeStore
    /// The Storage folder.
    let folder: Directory
    let settings: SharedSettings
    let clock: @Sendable () -> Timestamp

    package init(
        tree: TreeStore, folder: Directory, settings: SharedSettings, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.tree = tree
        self.folder = folder
        self.settings = settings
        self.clock = clock
    }

    /// Refuses a photo that is known to be poison.
    func refuse(_ photo: UploadRecord.Photo) async throws {
        let path = UploadNodes.poison() / (try TreeKey(photo.sha256))
        guard let failure = try await tree.get(path), !isForgotten(failure), let code = failure["code"]?.stringValue
        else { return }
        guard try await !forgive(photo.sha256) else { return }
        throw Failure(
            ErrorCode(named: code), "\(photo.originalName): \(failure["message"]?.stringValue ?? "")",
            hint: failure["hint"]?.stringValue ?? "")
    }

    /// Remembers that a photo broke its decoder. Durable when it returns.
    func remember(_ photo: UploadRecord.Photo, _ error: IsolationError) async throws {
        try await tree.set(
            UploadNodes.poison() / (try TreeKey(photo.sha256)),
            to: [
                "code": .string(error.code.rawValue), "message": .string(error.message), "hint": .string(error.hint),
                "at": clock().value, "program": .string(settings.value.decoderVersion),
            ])
    }

    /// Deletes what is not remembered any more.
    package func removeExpired() async throws {
        for sha256 in try await FileThreads.run({ [folder] () throws(FileError) in try DecodeRetry.all(in: folder) }) {
            _ = try await forgive(sha256)
        }
        for child in try await tree.children(of: UploadNodes.poison()) where isForgotten(child.value) {
            try await tree.set(UploadNodes.poison() / child.key, to: nil)
        }
    }

    /// Forgets a refusal if a person asked for that.
    private func forgive(_ sha256: String) async throws -> Bool {
        let folder = folder
        guard try await FileThreads.run({ try DecodeRetry.isGiven(sha256, in: folder) }) else { return false }
        try await tree.set(UploadNodes.poison() / (try TreeKey(sha256)), to: nil)
        try await FileThreads.run { try DecodeRetry.take(sha256, in: folder) }
        return true
    }

    private func isForgotten(_ failure: TreeValue) -> Bool {
        failure["program"]?.stringValue != settings.value.decoderVersion
            || (failure["at"]?.timestampValue ?? .epoch) < clock() - settings.value.poisonLifetime
    }
}

/// A person's wish that a photo which broke its decoder be tried again: an empty file `forgiven/SHA256`, which may be put
/// there whether the service runs or not.
package enum DecodeRetry {
    private static let folderName = "forgiven"

    /// Puts the wish down. Durable when it returns.
    ///
    /// - Parameter storage: The Storage folder.
    package static func give(_ sha256: String, in storage: Directory) throws(FileError) {
        try storage.folder(folderName, create: true).write([], as: sha256)
    }

    static func isGiven(_ sha256: String, in storage: Directory) throws(FileError) -> Bool {
        guard try storage.entry(folderName) != nil else { return false }
        return try storage.folder(folderName).entry(sha256) != nil
    }

    static func take(_ sha256: String, in storage: Directory) throws(FileError) {
        try storage.folder(folderName).remove(sha256)
    }

    /// All that are given, by their SHA-256.
    static func all(in storage: Directory) throws(FileError) -> [String] {
        guard try storage.entry(folderName) != nil else { return [] }
        return try storage.folder(folderName).names().filter { $0.wholeMatch(of: /[0-9a-f]{64}/) != nil }
    }
}

extension ErrorCode {
    /// Whether the refusal holds for the bytes, wherever they come from.
    package var isPoison: Bool {
        IsolationError.Code.poison.contains(IsolationError.Code(rawValue: rawValue))
    }
}
