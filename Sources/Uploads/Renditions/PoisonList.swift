import API
package import Files
import Isolation
import Model
import Store
package import Tree

/// The list of photos that crashed their decoder. They are remembered by their bytes and refused without being decoded.
///
/// A refusal is not permanent, because decoders are fixed. It holds for a limited time, for the program and library
/// versions that caused it, and until an operator requests another try.
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

    /// Throws if a photo is on the list.
    func refuse(_ photo: UploadRecord.Photo) async throws {
        let path = UploadNodes.poison() / (try TreeKey(photo.sha256))
        guard let failure = try await tree.get(path), !isForgotten(failure), let code = failure["code"]?.stringValue
        else { return }
        guard try await !forgive(photo.sha256) else { return }
        throw Failure(
            ErrorCode(named: code), "\(photo.originalName): \(failure["message"]?.stringValue ?? "")",
            hint: failure["hint"]?.stringValue ?? "")
    }

    /// Adds a photo that crashed its decoder. The entry is durable on return.
    func remember(_ photo: UploadRecord.Photo, _ error: IsolationError) async throws {
        try await tree.set(
            UploadNodes.poison() / (try TreeKey(photo.sha256)),
            to: [
                "code": .string(error.code.rawValue), "message": .string(error.message), "hint": .string(error.hint),
                "at": clock().value, "program": .string(settings.value.decoderVersion),
            ])
    }

    /// Deletes expired entries.
    package func removeExpired() async throws {
        for sha256 in try await FileThreads.run({ [folder] () throws(FileError) in try DecodeRetry.all(in: folder) }) {
            _ = try await forgive(sha256)
        }
        for child in try await tree.children(of: UploadNodes.poison()) where isForgotten(child.value) {
            try await tree.set(UploadNodes.poison() / child.key, to: nil)
        }
    }

    /// Deletes an entry if an operator requested another try, and returns whether one did.
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

/// An operator's request to try a photo again that crashed its decoder: an empty file `forgiven/SHA256`, which may be
/// created whether or not the service runs.
package enum DecodeRetry {
    private static let folderName = "forgiven"

    /// Writes the request. It is durable on return.
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

    /// Returns the SHA-256 digests of all requests.
    static func all(in storage: Directory) throws(FileError) -> [String] {
        guard try storage.entry(folderName) != nil else { return [] }
        return try storage.folder(folderName).names().filter { $0.wholeMatch(of: /[0-9a-f]{64}/) != nil }
    }
}

extension ErrorCode {
    /// Whether the refusal applies to the bytes, independently of their source.
    package var isPoison: Bool {
        IsolationError.Code.poison.contains(IsolationError.Code(rawValue: rawValue))
    }
}
