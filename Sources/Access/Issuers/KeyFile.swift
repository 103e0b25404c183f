import Cryptography
import Foundation

/// A file with keys, which the operator names.
enum KeyFile {
    /// The content of a file.
    ///
    /// - Throws: ``KeyError`` when it cannot be read, or has more bytes.
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

    /// What changes with the file's content; nil if it is not there.
    static func version(_ path: String) -> [UInt64]? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let numbers = [attributes[.size], attributes[.systemFileNumber]].map { ($0 as? NSNumber)?.uint64Value ?? 0 }
        return [time.bitPattern] + numbers
    }
}
