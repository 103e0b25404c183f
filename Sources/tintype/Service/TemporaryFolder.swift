import Foundation

/// A folder that exists while the process runs.
struct TemporaryFolder: Sendable {
    let path: String

    /// Creates the folder in the system's folder for temporary files; only this user can read it.
    init() throws {
        var template = Array("\(NSTemporaryDirectory())/tintype-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw ConfigurationError("a temporary folder cannot be created: \(String(cString: strerror(errno)))")
        }
        path = URL(fileURLWithPath: String(cString: made)).standardizedFileURL.path
    }

    /// Deletes the folder and its content.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
