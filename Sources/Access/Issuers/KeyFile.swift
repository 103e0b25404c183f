import Cryptography
import Foundation

/// Reads key files that the operator names.
enum KeyFile {
    /// Returns the content of a file.
    ///
    /// - Throws: ``KeyError`` when it cannot be read, is empty or is longer.
    static func read(_ path: String, maxBytes: Int) throws(KeyError) -> [UInt8] {
        let data: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            data = try file.read(upToCount: maxBytes + 1)
        } catch {
            throw KeyError("\(path) cannot be read")
        }
        guard let data else { throw KeyError("\(path) is empty") }
        guard data.count <= maxBytes else { throw KeyError("\(path) has more than \(maxBytes) bytes") }
        return Array(data)
    }

    /// Returns a value that changes with the file's content; nil if the file does not exist.
    static func version(_ path: String) -> [UInt64]? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let numbers = [attributes[.size], attributes[.systemFileNumber]].map { ($0 as? NSNumber)?.uint64Value ?? 0 }
        return [time.bitPattern] + numbers
    }
}
