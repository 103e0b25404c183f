import Files
import Foundation
import NIOPosix

/// A photo that will be uploaded.
struct UploadFile: Sendable, Hashable {
    /// The path, in the form of the command line, or found below a folder that was given.
    let path: String
    /// The alternative text; nil for none.
    var alt: String?

    var isStandardInput: Bool { path == "-" }
    /// The file's name, in the form that is sent to the service.
    var name: String { isStandardInput ? "standard input" : URL(fileURLWithPath: path).lastPathComponent }

    /// The SHA-256 of the bytes, in 64 hexadecimal digits.
    func sha256() async throws -> String {
        try await NIOThreadPool.singleton.runIfActive { try FileReader(path: path).sha256() }
    }

    /// Opens the bytes, which can be read once.
    func source() throws(FileError) -> ByteSource {
        isStandardInput ? .standardInput : try ByteSource(path: path)
    }
}

extension UploadFile {
    /// Returns the photos that the arguments of a command name: files, `-`, and all photos in and below a folder, in
    /// the order of their names. Other files in a folder are skipped.
    ///
    /// - Parameter alts: The alternative texts of the first arguments. No argument may then be a folder, because it
    ///   would not be clear which photo is meant.
    /// - Throws: `ConfigurationError` for a folder with alternative texts, `FileError` for a folder that cannot be
    ///   read.
    static func files(
        _ arguments: [String], alts: [String] = []
    ) throws -> (files: [UploadFile], skipped: [SkippedFile]) {
        var files: [UploadFile] = []
        var skipped: [SkippedFile] = []
        for (number, argument) in arguments.enumerated() {
            var isFolder: ObjCBool = false
            guard argument != "-", FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                files.append(UploadFile(path: argument, alt: number < alts.count ? alts[number] : nil))
                continue
            }
            guard alts.isEmpty else {
                throw ConfigurationError("--alt is for photos, and \(argument) is a folder: name its photos")
            }
            for path in try paths(in: argument) {
                if let reason = SkippedFile.reason(path) {
                    skipped.append(SkippedFile(path: path, reason: reason))
                } else {
                    files.append(UploadFile(path: path))
                }
            }
        }
        return (files, skipped)
    }

    /// Returns the files in and below a folder, without hidden files.
    private static func paths(in folder: String) throws -> [String] {
        let root = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL
        var fault: (any Error)?
        let files = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles
        ) { _, error in
            fault = error
            return false
        }
        let found = (files?.compactMap { $0 as? URL } ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
        }
        if fault != nil || files == nil {
            throw FileError(
                .permission, "a part of the folder \(folder) cannot be read", hint: "Name its files instead.")
        }
        // The paths begin with the folder's name as it was given, not with the root.
        let rest = root.path.count
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return found.map { base + $0.path.dropFirst(rest) }.sorted()
    }
}
