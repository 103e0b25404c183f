internal import CCodecs

/// A transform from the colours that a file describes to sRGB, by lcms2.
///
/// The intent is perceptual, as in sharp and most viewers: for print profiles it selects the table for images. The
/// profiles of cameras and screens are a matrix and curves, for which all intents are the same.
@safe
final class ColorTransform: Sendable {
    /// The kind of samples that the transform converts.
    enum InputModel: Sendable {
        case grey, rgb, cmyk

        var channels: Int {
            switch self {
            case .grey: 1
            case .rgb: 3
            case .cmyk: 4
            }
        }
    }

    let inputModel: InputModel
    // The C code allows any number of threads to use it, and nothing writes to it before `deinit`.
    private nonisolated(unsafe) let handle: OpaquePointer

    /// Creates the transform; nil if lcms2 rejects the description.
    init?(_ description: ColorDescription) {
        var pointer: OpaquePointer?
        var model = ccodecs_color_model.CCODECS_RGB
        let code: ccodecs_code
        switch description {
        case .standard, .broken: return nil
        case .profile(let bytes): code = unsafe ccodecs_color_open(bytes, bytes.count, &pointer, &model)
        case .primaries(let colors):
            code = unsafe ccodecs_color_open_primaries(colors.primaries, colors.exponent ?? 0, &pointer, &model)
        }
        guard code == .CCODECS_OK, let pointer = unsafe pointer else {
            unsafe ccodecs_color_close(pointer)
            return nil
        }
        unsafe handle = unsafe pointer
        inputModel =
            switch model {
            case .CCODECS_GREY: .grey
            case .CCODECS_RGB: .rgb
            case .CCODECS_CMYK: .cmyk
            }
    }

    deinit { unsafe ccodecs_color_close(handle) }

    /// Converts interleaved pixels to RGB: as many whole pixels as both buffers hold.
    func convert(_ samples: Span<UInt8>, into rgb: inout MutableSpan<UInt8>) {
        let pixelCount = min(samples.count / inputModel.channels, rgb.count / 3)
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe rgb.withUnsafeMutableBufferPointer { rgb in
                guard let samples = samples.baseAddress, let rgb = rgb.baseAddress else { return }
                // Both buffers hold that many pixels.
                unsafe ccodecs_color_convert(handle, samples, rgb, pixelCount)
            }
        }
    }

    /// Converts interleaved pixels to RGB.
    func converted(_ samples: [UInt8]) -> [UInt8] {
        var rgb = [UInt8](repeating: 0, count: samples.count / inputModel.channels * 3)
        var span = rgb.mutableSpan
        convert(samples.span, into: &span)
        return rgb
    }

    /// The conversions of the 256 grey levels.
    func greyTable() -> [UInt8] {
        let greys = (0...255).flatMap { Array(repeating: UInt8($0), count: inputModel.channels) }
        let rgb = converted(greys)
        return (0...255).map { rgb[$0 * 3 + 1] }
    }

    /// Whether no colour in a grid of 9×9×9 moves by more than 2 of 255: the description is then equivalent to sRGB.
    var isIdentity: Bool {
        guard inputModel != .cmyk else { return false }
        let steps = stride(from: 0, through: 256, by: 32).map { UInt8(min($0, 255)) }
        let samples =
            inputModel == .grey
            ? (0...255).map { UInt8($0) }
            : steps.flatMap { red in steps.flatMap { green in steps.flatMap { [red, green, $0] } } }
        let expected = inputModel == .grey ? samples.flatMap { [$0, $0, $0] } : samples
        return zip(converted(samples), expected).allSatisfy { abs(Int($0) - Int($1)) <= 2 }
    }
}

extension PrimaryColors {
    fileprivate var primaries: ccodecs_primaries {
        ccodecs_primaries(
            white: (white.x, white.y), red: (red.x, red.y), green: (green.x, green.y), blue: (blue.x, blue.y))
    }
}
