import Imaging
import Isolation

// With a folder, a service of such a worker.
if CommandLine.arguments.count > 2 { try Unmounting.perform(on: CommandLine.arguments[2]) }

// With another argument, a worker that does not get so far as to enter its sandbox.
if CommandLine.arguments.count > 1 { Behaviour.shakeHands(CommandLine.arguments[1]) }

// A render worker in which a photo can do what it might do to a decoder that has a hole: after the first three bytes of
// a JPEG, it says what. Any other photo is rendered as it should be.
var isFresh = true
RenderWorker.run { bytes, recipes, others, limits throws(ImageError) in
    defer { isFresh = false }
    if let behaviour = Behaviour(asked: bytes) { try behaviour.perform(isFresh: isFresh) }
    return try Renderer(limits: limits).render(bytes, recipes: recipes, beside: others)
}
