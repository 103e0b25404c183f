import Imaging
import Isolation

// With a folder, a service with such a worker.
if CommandLine.arguments.count > 2 { try Unmounting.perform(on: CommandLine.arguments[2]) }

// With another argument, a worker that ends before it enters its sandbox.
if CommandLine.arguments.count > 1 { Behaviour.shakeHands(CommandLine.arguments[1]) }

// A render worker in which a photo can do what an attack could make a vulnerable decoder do: the text after the first three
// bytes of a JPEG names the behaviour. Any other photo is rendered normally.
var isFresh = true
RenderWorker.run { bytes, recipes, others, limits throws(ImageError) in
    defer { isFresh = false }
    if let behaviour = Behaviour(asked: bytes) { try behaviour.perform(isFresh: isFresh) }
    return try Renderer(limits: limits).render(bytes, recipes: recipes, beside: others)
}
