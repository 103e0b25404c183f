// Makes two thumbnails of each photo, in a process that a hostile photo cannot leave: thumbnails OUT_FOLDER PHOTO…

import Foundation
import Thumbnails

Thumbnailer.runSandboxedProcess()

let arguments = CommandLine.arguments.dropFirst()
guard let folder = arguments.first, arguments.count > 1 else {
    print("usage: thumbnails OUT_FOLDER PHOTO...")
    exit(2)
}
let recipes = [try Recipe(parsing: "large=1280"), try Recipe(parsing: "tile=160,cover,webp")]
let thumbnailer = try Thumbnailer.sandboxed()
var refusals = 0

for path in arguments.dropFirst() {
    let photo = URL(fileURLWithPath: path)
    let name = photo.deletingPathExtension().lastPathComponent
    do {
        let image = try thumbnailer.render([UInt8](Data(contentsOf: photo)), recipes: recipes)
        for rendition in image.renditions {
            let file = "\(name)-\(rendition.recipe.name).\(rendition.format.fileExtension)"
            try Data(rendition.bytes).write(to: URL(fileURLWithPath: folder).appending(path: file))
            print("\(file)  \(rendition.size)  \(rendition.bytes.count) bytes")
        }
        for warning in image.warnings { print("\(path): warning: \(warning.rawValue)") }
    } catch {
        // A photo that is damaged or ends its decoder, or a file that cannot be read or written: the others are made.
        print("\(path): refused: \(error)")
        refusals += 1
    }
}
exit(refusals == 0 ? 0 : 3)
