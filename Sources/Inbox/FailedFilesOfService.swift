package import API
package import Files
package import Store
import Uploads

/// The list of files that could not become posts, as the running service shows and changes it.
package struct FailedFilesOfService: PutAsideFiles {
    private let storage: StorageFolder

    package init(_ storage: StorageFolder) { self.storage = storage }

    package var changeCount: Int { storage.putAsideCount }

    private func files() throws(FileError) -> FailedFiles { try FailedFiles(storage: storage.path) }

    package func list(reason: String?, user: String?) throws(FileError) -> [FailedFileDocument] {
        try files().items(reason: reason, user: user).map(\.document)
    }

    package func counts() throws(FileError) -> [String: Int] { try files().counts() }

    package func open(_ path: String) throws(FileError) -> (photo: FileReader, document: FailedFileDocument) {
        let files = try files()
        let item = try item(path, in: files)
        return (try files.open(item), item.document)
    }

    package func retry(_ path: String) throws(FileError) {
        let files = try files()
        try files.retry(try item(path, in: files))
        storage.countPutAside()
    }

    package func drop(_ path: String) throws(FileError) {
        let files = try files()
        try files.drop(try item(path, in: files))
        storage.countPutAside()
    }

    private func item(_ path: String, in files: FailedFiles) throws(FileError) -> FailedFiles.Item {
        guard let item = try files.item(at: path) else {
            throw FileError(
                .notFound, "the failed file \(path.prefix(200)) does not exist",
                hint: "It may have been put back or deleted meanwhile.")
        }
        return item
    }
}
