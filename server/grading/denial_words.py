"""Words that several of the rules of denial go by, and how far they reach."""

from server.grading.lexis.english import word_set

AUXILIARY = word_set("""
    is are was were be been being am have has had do does did will would can could should may might
    must i'm we're it's they're that's there's
    """)
NEGATED_AUXILIARY = word_set("""
    don't doesn't didn't isn't wasn't aren't weren't haven't hasn't hadn't won't wouldn't can't
    couldn't shouldn't needn't mustn't ain't cannot dont doesnt didnt isnt wasnt arent werent havent
    hasnt hadnt wouldnt couldnt shouldnt
    """)
CUES = (
    word_set("""
        not never no without neither nor hardly barely none instead rather unlike unfamiliar
        avoided skipped dropped abandoned lack lacked lacks nobody
        """)
    | NEGATED_AUXILIARY
)
# "not only X", "not just", "not until": what follows is affirmed, or open.
AFFIRMED_BY_NEXT = word_set("""
    only just merely simply necessarily until unless sure enough because yet optional negotiable
    matter doubt question wonder later least always everything matter surprise problem more less
    """)
THINKING = word_set("think believe know remember say recall guess mean see sure")
RELATIVE = word_set("which that who what")
FINITE = AUXILIARY - word_set("be been being am")
OWN_STORY = word_set("""
    i we my our us me i'm we're i've we've i'd we'd was were had did didn't wasn't weren't hadn't
    """)
