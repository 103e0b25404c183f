import Testing

@testable import Imaging

struct HEVCInspectorTests {
    @Test("Sides up to the largest numbers that can be coded are checked", arguments: [5, 15, 30, 31])
    func sides(zeros: Int) {
        let side = String(repeating: "0", count: zeros) + String(repeating: "1", count: zeros + 1)
        // A number, 4:2:0, the sides, no conformance window, eight bits twice.
        let bits = Array("1" + "010" + side + side + "0" + "1" + "1" + "1")
        let packed = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].enumerated().reduce(0 as UInt8) { byte, bit in
                bit.element == "1" ? byte | 0x80 >> UInt8(bit.offset) : byte
            }
        }
        let unit = [0x42, 0x01, 0x01] + [UInt8](repeating: 0x11, count: 12) + packed + [0x80]
        var still = HEVCInspector()
        still.take((([0, 0, 0, UInt8(unit.count)] as [UInt8]) + unit).span)
        let expected = min((1 << (zeros + 1)) - 2, Int(Int32.max))
        #expect(still.coded.size == PixelSize(width: expected, height: expected))
        #expect(still.coded.workingBytes > 0)
    }
}
