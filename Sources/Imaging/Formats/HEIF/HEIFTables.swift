/// The tables in the `meta` box of a HEIC or AVIF file, as stored (ISO/IEC 14496-12, 8.11).
struct HEIFTables {
    let format: ImageFormat
    private(set) var primary: Int?
    /// The four characters of each item's type.
    private(set) var types: [Int: String] = [:]
    /// The properties; items refer to them by their number, which begins with 1.
    private(set) var properties: [Boxes.Box] = []
    private(set) var associations: [Int: [Int]] = [:]
    private(set) var references: [Reference] = []
    private(set) var locations: [Int: [Range<Int>]] = [:]
    private var itemData: Range<Int>?
    /// The numbers of the data references to another file; they begin with 1.
    private var otherFiles: Set<Int> = []
    /// The items whose bytes are not available, with the reason.
    private(set) var obstacles: [Int: Obstacle] = [:]
    /// Whether the file has a `moov` box, for films and animations, or a `mini` box, for an image without tables.
    private(set) var (hasTracks, isMinimized) = (false, false)
    /// The maximum number of entries of all tables, so that a file cannot demand unbounded memory.
    private static let maxEntries = 10_000
    private var entryCount = 0

    /// A reference between items: "from" is, for example, a thumbnail (`thmb`) of "to", or derived (`dimg`) from "to".
    struct Reference {
        let type: Int
        let from: Int
        let to: [Int]
    }

    /// The reason why an item's bytes are not available.
    enum Obstacle {
        case protection, otherFile, otherItems
    }

    /// Reads the tables in the file's `meta` box.
    init(_ bytes: Span<UInt8>, format: ImageFormat) throws(ImageError) {
        self.format = format
        var boxes = Boxes(in: 0..<bytes.count, of: format)
        var isFound = false
        while let box = try boxes.next(bytes) {
            if bytes.starts(with: "moov", at: box.type) { hasTracks = true }
            if bytes.starts(with: "mini", at: box.type) { isMinimized = true }
            guard bytes.starts(with: "meta", at: box.type), !isFound else { continue }
            isFound = true
            try readMeta(bytes, in: box.payload.dropFirst(4))
        }
    }
}

extension HEIFTables {
    private var damage: ImageError { .corrupt(format, "its tables") }

    private mutating func count(_ entries: Int) throws(ImageError) {
        entryCount += entries
        guard entryCount <= HEIFTables.maxEntries else {
            throw .unsupported("\(format.name) of more than \(HEIFTables.maxEntries) parts")
        }
    }

    private mutating func readMeta(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        var boxes = Boxes(in: range, of: format)
        var (places, seen) = (nil as Range<Int>?, Set<Int>())
        while let box = try boxes.next(bytes) {
            func isA(_ type: String) -> Bool { bytes.starts(with: type, at: box.type) }
            // Another decoder might use the other box of the same type.
            guard let type = bytes.uint32(at: box.type),
                seen.insert(type).inserted || isA("free") || isA("skip") || isA("uuid")
            else { throw damage }
            if isA("pitm") {
                var fields = Fields(in: box.payload)
                let version = fields.next(4, bytes).map { $0 >> 24 }
                primary = fields.next(version == 0 ? 2 : 4, bytes)
            } else if isA("iinf") {
                try readTypes(bytes, in: box.payload)
            } else if isA("iref") {
                try readReferences(bytes, in: box.payload)
            } else if isA("iprp") {
                try readProperties(bytes, in: box.payload)
            } else if isA("dinf") {
                try readDataReferences(bytes, in: box.payload)
            } else if isA("idat") {
                itemData = box.payload
            } else if isA("iloc") {
                places = box.payload
            }
        }
        if let places { try readLocations(bytes, in: places) }
    }

    /// Reads the extents of each item, which are in the file or in the `idat` box (ISO/IEC 14496-12, 8.11.3).
    private mutating func readLocations(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        var fields = Fields(in: range)
        guard let version = fields.next(1, bytes), fields.next(3, bytes) != nil, let sizes = fields.next(2, bytes),
            let itemCount = fields.next(version < 2 ? 2 : 4, bytes)
        else { throw damage }
        for _ in 0..<itemCount {
            guard let item = fields.next(version < 2 ? 2 : 4, bytes), locations[item] == nil,
                let method = version == 0 ? 0 : fields.next(2, bytes), let source = fields.next(2, bytes),
                let base = fields.next(ofSize: sizes >> 4 & 15, bytes), let count = fields.next(2, bytes)
            else { throw damage }
            try self.count(count + 1)
            if obstacles[item] == nil {
                obstacles[item] = otherFiles.contains(source) ? .otherFile : method & 15 > 1 ? .otherItems : nil
            }
            var pieces: [Range<Int>] = []
            for _ in 0..<count {
                guard version == 0 || fields.next(ofSize: sizes & 15, bytes) != nil,
                    let offset = fields.next(ofSize: sizes >> 12, bytes),
                    let length = fields.next(ofSize: sizes >> 8 & 15, bytes), length > 0
                else { throw damage }
                let start = base + offset + (method & 15 == 1 ? itemData?.lowerBound ?? bytes.count : 0)
                pieces.append(start..<start + length)
            }
            locations[item] = pieces
        }
    }

    private mutating func readTypes(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        guard let version = bytes.byte(at: range.lowerBound) else { throw damage }
        var boxes = Boxes(in: range.dropFirst(version == 0 ? 6 : 8), of: format)
        while let box = try boxes.next(bytes) {
            var fields = Fields(in: box.payload)
            guard let version = fields.next(4, bytes).map({ $0 >> 24 }), version >= 2,
                let item = fields.next(version == 2 ? 2 : 4, bytes),
                let protection = fields.next(2, bytes), let type = fields.next(4, bytes)
            else { continue }
            try count(1)
            guard types[item] == nil else { throw damage }
            if protection > 0 { obstacles[item] = .protection }
            types[item] = String(
                decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: type >> $0) }, as: UTF8.self)
        }
    }

    /// Reads the data references; a flag of each specifies whether it refers to this file (ISO/IEC 14496-12, 8.7.2).
    private mutating func readDataReferences(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        var boxes = Boxes(in: range, of: format)
        while let box = try boxes.next(bytes) {
            guard bytes.starts(with: "dref", at: box.type) else { continue }
            var entries = Boxes(in: box.payload.dropFirst(8), of: format)
            var number = 0
            while let entry = try entries.next(bytes) {
                try count(1)
                number += 1
                if let flags = bytes.uint32(at: entry.payload.lowerBound), flags & 1 == 0 { otherFiles.insert(number) }
            }
        }
    }

    private mutating func readReferences(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        guard let version = bytes.byte(at: range.lowerBound) else { throw damage }
        let width = version == 0 ? 2 : 4
        var boxes = Boxes(in: range.dropFirst(4), of: format)
        while let box = try boxes.next(bytes) {
            var fields = Fields(in: box.payload)
            guard let from = fields.next(width, bytes), let count = fields.next(2, bytes) else { throw damage }
            try self.count(count + 1)
            var items: [Int] = []
            for _ in 0..<count {
                guard let item = fields.next(width, bytes) else { throw damage }
                items.append(item)
            }
            references.append(Reference(type: box.type, from: from, to: items))
        }
    }

    private mutating func readProperties(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        var boxes = Boxes(in: range, of: format)
        while let box = try boxes.next(bytes) {
            if bytes.starts(with: "ipco", at: box.type) {
                var inner = Boxes(in: box.payload, of: format)
                while let property = try inner.next(bytes) {
                    try count(1)
                    properties.append(property)
                }
            } else if bytes.starts(with: "ipma", at: box.type) {
                try readAssociations(bytes, in: box.payload)
            }
        }
    }

    /// Reads the property numbers of each item, of 7 or 15 bits after a bit that specifies whether the property is
    /// essential.
    private mutating func readAssociations(_ bytes: Span<UInt8>, in range: Range<Int>) throws(ImageError) {
        var fields = Fields(in: range)
        guard let head = fields.next(4, bytes), let itemCount = fields.next(4, bytes) else { throw damage }
        let (isLong, isWide) = (head >> 24 > 0, head & 1 == 1)
        for _ in 0..<itemCount {
            guard let item = fields.next(isLong ? 4 : 2, bytes), let count = fields.next(1, bytes) else { throw damage }
            try self.count(count + 1)
            var numbers: [Int] = []
            for _ in 0..<count {
                guard let number = fields.next(isWide ? 2 : 1, bytes) else { throw damage }
                numbers.append(number & (isWide ? 0x7FFF : 0x7F))
            }
            guard associations[item] == nil else { throw damage }
            associations[item] = numbers
        }
    }
}
