#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Times as the service writes them: milliseconds since 1970, UTC.
enum Milliseconds {
    /// The times that a calendar can show: 100,000,000 days around 1970 (ECMA-262 §21.4.1.1).
    private static let range = -8.64e15...8.64e15

    /// - Throws: `DecodingError` for a number out of range.
    static func date(_ milliseconds: Double, at path: [any CodingKey]) throws -> Date {
        guard range.contains(milliseconds) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: "\(milliseconds) is not a time in milliseconds"))
        }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    /// - Throws: `EncodingError` for a date out of range.
    static func number(_ date: Date, at path: [any CodingKey]) throws -> Int64 {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        guard range.contains(milliseconds) else {
            // Not the date itself: to print a date that is not a number ends the process.
            throw EncodingError.invalidValue(
                milliseconds, .init(codingPath: path, debugDescription: "the date cannot be written in milliseconds"))
        }
        return Int64(milliseconds)
    }
}
