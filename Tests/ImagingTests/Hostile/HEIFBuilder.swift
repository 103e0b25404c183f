/// A builder of HEICs and AVIFs of any items, valid or not.
struct HEIFBuilder {
    struct Item {
        var type: String
        var properties: [[UInt8]] = []
        var data: [UInt8] = []
        /// The types of the references, and the numbers of the items that they refer to.
        var references: [(type: String, to: [Int])] = []
        /// The construction method: 0 for data in the file, 1 for data in the `idat` box, 2 for data in other items.
        var method = 0
        /// The number of the data reference to the file with the data; 0 is this file.
        var source = 0
        /// The number of the item's protection; 0 without one.
        var protection = 0
    }

    var brands = ["heic", "mif1"]
    /// The items, numbered from 1.
    var items: [Item] = []
    var primary: Int? = 1
    /// The boxes that the `meta` box contains in addition to the tables.
    var tables: [[UInt8]] = []
    /// The boxes that the file contains in addition to the `meta` box.
    var boxes: [[UInt8]] = []

    static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] { number(payload.count + 8) + type.utf8 + payload }

    static func fullBox(_ type: String, _ payload: [UInt8], version: Int = 0, flags: Int = 0) -> [UInt8] {
        box(type, number(version << 24 | flags) + payload)
    }

    static func number(_ value: Int, bytes: Int = 4) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] { fullBox("ispe", number(width) + number(height)) }

    /// Returns data references, each to this file or to another one.
    static func sources(isOtherFile: [Bool]) -> [UInt8] {
        let entries = isOtherFile.flatMap { fullBox("url ", $0 ? Array("other.heic\0".utf8) : [], flags: $0 ? 0 : 1) }
        return box("dinf", fullBox("dref", number(isOtherFile.count) + entries))
    }

    /// Returns the data of a grid item.
    static func grid(columns: Int, rows: Int, width: Int, height: Int) -> [UInt8] {
        [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + number(width, bytes: 2) + number(height, bytes: 2)
    }

    var bytes: [UInt8] {
        let brandBox = HEIFBuilder.box(
            "ftyp", brands.prefix(1).flatMap(\.utf8) + [0, 0, 0, 0] + brands.flatMap(\.utf8))
        guard !items.isEmpty || !tables.isEmpty else { return brandBox + boxes.joined() }
        let data = HEIFBuilder.box("mdat", items.filter { $0.method != 1 }.flatMap(\.data))
        let start = brandBox.count + meta(dataStart: 0).count + 8
        return brandBox + meta(dataStart: start) + data + boxes.joined()
    }

    private func meta(dataStart: Int) -> [UInt8] {
        func short(_ value: Int) -> [UInt8] { HEIFBuilder.number(value, bytes: 2) }
        var (places, entries, marks, references, properties): ([UInt8], [UInt8], [UInt8], [UInt8], [[UInt8]])
        (places, entries, marks, references, properties) = ([], [], [], [], [])
        var (offset, inner) = (dataStart, [UInt8]())
        for (index, item) in items.enumerated() {
            let number = short(index + 1)
            let place = item.method == 1 ? inner.count : item.method == 0 ? offset : 0
            if item.method == 1 { inner += item.data } else { offset += item.data.count }
            places += number + short(item.method) + short(item.source)
            places +=
                item.data.isEmpty
                ? short(0) : short(1) + HEIFBuilder.number(place) + HEIFBuilder.number(item.data.count)
            entries += HEIFBuilder.fullBox(
                "infe", number + short(item.protection) + Array(item.type.utf8) + [0], version: 2)
            marks += number + [UInt8(item.properties.count)]
            marks += item.properties.indices.map { UInt8(properties.count + $0 + 1) }
            properties += item.properties
            for (type, to) in item.references {
                references += HEIFBuilder.box(type, number + short(to.count) + to.flatMap(short))
            }
        }
        let parts = [
            HEIFBuilder.fullBox("hdlr", [0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)),
            primary.map { HEIFBuilder.fullBox("pitm", short($0)) } ?? [],
            HEIFBuilder.fullBox("iloc", [0x44, 0] + short(items.count) + places, version: 1),
            HEIFBuilder.fullBox("iinf", short(items.count) + entries),
            HEIFBuilder.box(
                "iprp",
                HEIFBuilder.box("ipco", properties.flatMap(\.self))
                    + HEIFBuilder.fullBox("ipma", HEIFBuilder.number(items.count) + marks)),
            references.isEmpty ? [] : HEIFBuilder.fullBox("iref", references),
            inner.isEmpty ? [] : HEIFBuilder.box("idat", inner),
        ]
        return HEIFBuilder.fullBox("meta", parts.flatMap(\.self) + tables.joined())
    }
}
