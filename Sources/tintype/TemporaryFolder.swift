import Foundation

/// A folder of the process's own, for as long as it runs.
struct TemporaryFolder: Sendable {
    let path: String

    /// Makes the folder where the system keeps such things; only this user can look into it.
    init() throws {
        var template = Array("\(NSTemporaryDirectory())/tintype-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw ConfigurationError("no temporary folder can be made: \(String(cString: strerror(errno)))")
        }
        path = URL(fileURLWithPath: String(cString: made)).standardizedFileURL.path
    }

    /// Deletes the folder and all that is in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
