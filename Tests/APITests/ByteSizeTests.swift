import API
import Testing

@Suite("Numbers of bytes for people")
struct ByteSizeTests {
    @Test(
        "A number of bytes is written in the largest unit that fits, with one digit after the point",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (449, "449 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"),
            (1_048_575, "1.0 MiB"), (67_001_000_000, "62.4 GiB"), (1 << 50, "1.0 PiB"), (Int.max, "8192.0 PiB"),
        ])
    func units(bytes: Int, text: String) {
        #expect(ByteSize.text(bytes) == text)
    }
}
