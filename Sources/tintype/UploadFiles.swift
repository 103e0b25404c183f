import Files
import Foundation
import Imaging
import NIOPosix

/// A photo that is to be sent.
struct UploadFile: Sendable, Hashable {
    /// As it was named on the command line, or below a folder that was.
    let path: String
    /// What it shows, in words; nil when that was not said.
    var alt: String?

    var isStandardInput: Bool { path == "-" }
    /// What the service is told that the photo is called.
    var name: String { isStandardInput ? "standard input" : URL(fileURLWithPath: path).lastPathComponent }

    /// The hash by which the service knows the photo, 64 hexadecimal digits.
    func sha256() async throws -> String {
        try await NIOThreadPool.singleton.runIfActive { try FileReader(path: path).sha256() }
    }

    /// The bytes, to be read once.
    func source() throws(FileError) -> ByteSource {
        isStandardInput ? .standardInput : try ByteSource(path: path)
    }
}

extension UploadFile {
    /// Bytes of which a format is told.
    private static let signatureBytes = 256

    /// The photos that the arguments of a command name: files, `-`, and of a folder every picture in it and below, in the
    /// order of their names. What in a folder is no picture is passed over.
    ///
    /// - Parameter alts: What the first of them show, in words. With these, there can be no folders: nobody would know
    ///   which picture is meant.
    static func files(
        _ arguments: [String], alts: [String] = []
    ) throws -> (files: [UploadFile], passedOver: Int) {
        var files: [UploadFile] = []
        var passedOver = 0
        for (number, argument) in arguments.enumerated() {
            var isFolder: ObjCBool = false
            guard argument != "-", FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder),
                isFolder.boolValue
            else {
                files.append(UploadFile(path: argument, alt: number < alts.count ? alts[number] : nil))
                continue
            }
            guard alts.isEmpty else {
                throw ConfigurationError("--alt goes with photos, and \(argument) is a folder: name its photos")
            }
            let found = try paths(in: argument)
            let pictures = found.filter(isPicture)
            files += pictures.map { UploadFile(path: $0) }
            passedOver += found.count - pictures.count
        }
        return (files, passedOver)
    }

    /// The files in a folder and below, but for hidden ones.
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
                .permission, "the folder \(folder) cannot be read as a whole", hint: "name its files instead")
        }
        // As the folder was named, not as an absolute path.
        let rest = root.path.count
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return found.map { base + $0.path.dropFirst(rest) }.sorted()
    }

    private static func isPicture(_ path: String) -> Bool {
        guard let bytes = try? FileReader(path: path).read(at: 0, maxBytes: signatureBytes) else { return false }
        return ImageFormat.detect(bytes.span) != nil
    }
}
