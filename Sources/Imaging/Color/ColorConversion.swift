internal import Synchronization

/// What is to be done to a picture's colours.
enum ColorConversion: Sendable {
    /// They are sRGB already.
    case none
    case by(ColorTransform)
    /// The description makes no sense: the colours are taken for sRGB.
    case unknown

    /// The conversion for a description; made once for all the photos of one camera.
    init(_ description: ColorDescription) {
        switch description {
        case .standard: self = .none
        case .broken: self = .unknown
        case .profile, .primaries: self = ColorConversion.known.conversion(of: description)
        }
    }

    private static let known = Cache()

    fileprivate init(making description: ColorDescription) {
        guard let transform = ColorTransform(description) else {
            self = .unknown
            return
        }
        self = transform.isIdentity ? .none : .by(transform)
    }
}

extension ColorConversion {
    /// The conversions that were asked for last, found by all bytes of their descriptions.
    private final class Cache: Sendable {
        private struct Entry {
            let description: ColorDescription
            let conversion: ColorConversion
        }

        /// A phone's profile has 500 bytes, a press's 500,000 or more.
        private static let maxEntries = 16
        private static let maxBytes = 8 * 1_048_576

        /// The last one that was asked for is the last one.
        private let entries = Mutex<[Entry]>([])

        func conversion(of description: ColorDescription) -> ColorConversion {
            if let known = find(description) { return known }
            // Outside of the lock: two threads may make one transform each, and the second one's is kept.
            let conversion = ColorConversion(making: description)
            add(Entry(description: description, conversion: conversion))
            return conversion
        }

        private func find(_ description: ColorDescription) -> ColorConversion? {
            entries.withLock { entries in
                guard let index = entries.firstIndex(where: { $0.description == description }) else { return nil }
                let entry = entries.remove(at: index)
                entries.append(entry)
                return entry.conversion
            }
        }

        private func add(_ entry: Entry) {
            entries.withLock { entries in
                entries.removeAll { $0.description == entry.description }
                entries.append(entry)
                var byteCount = entries.reduce(0) { $0 + $1.description.byteCount }
                while entries.count > Cache.maxEntries || byteCount > Cache.maxBytes, entries.count > 1 {
                    byteCount -= entries.removeFirst().description.byteCount
                }
            }
        }
    }
}

extension ColorDescription {
    fileprivate var byteCount: Int {
        if case .profile(let bytes) = self { bytes.count } else { 0 }
    }
}
