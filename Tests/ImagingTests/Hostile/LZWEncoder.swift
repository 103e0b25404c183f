/// An encoder for the pixels of a GIF's frame (GIF89a, appendix F).
enum LZWEncoder {
    /// Encodes pixels.
    ///
    /// - Parameters:
    ///   - pixels: the indices, of at most `rootBits` bits.
    ///   - clears: whether the dictionary is cleared when it is full, or kept.
    static func encode(_ pixels: some Sequence<UInt8>, rootBits: Int, clears: Bool = true) -> [UInt8] {
        let clearCode = 1 << rootBits
        var (stream, window, windowBits) = ([UInt8](), 0, 0)
        var (codes, codeBits, nextCode) = ([Int: Int](), rootBits + 1, clearCode + 2)
        func put(_ code: Int) {
            window |= code << windowBits
            windowBits += codeBits
            while windowBits >= 8 {
                stream.append(UInt8(window & 255))
                window >>= 8
                windowBits -= 8
            }
        }
        put(clearCode)
        var prefix: Int?
        for pixel in pixels {
            guard let known = prefix else {
                prefix = Int(pixel)
                continue
            }
            let string = known << 8 | Int(pixel)
            if let code = codes[string] {
                prefix = code
                continue
            }
            put(known)
            prefix = Int(pixel)
            if nextCode < 4096 {
                codes[string] = nextCode
                // The decoder's dictionary is one string behind.
                if nextCode == 1 << codeBits { codeBits += 1 }
                nextCode += 1
            } else if clears {
                put(clearCode)
                (codes, codeBits, nextCode) = ([:], rootBits + 1, clearCode + 2)
            }
        }
        if let prefix { put(prefix) }
        if nextCode == 1 << codeBits, codeBits < 12 { codeBits += 1 }
        put(clearCode + 1)
        if windowBits > 0 { stream.append(UInt8(window)) }
        return stream
    }
}
