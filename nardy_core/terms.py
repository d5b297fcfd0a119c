"""Words of the two games in English, Russian and Ukrainian: one table for pictures and text output.

Machine output (JSON, CSV) never passes through here: its names are fixed and English.
Phrases that would need plural forms are worded as "label: number".
"""

LANGUAGES = ("en", "ru", "uk")

# key: (English, Russian, Ukrainian)
_TERMS: dict[str, tuple[str, str, str]] = {
    # games
    "backgammon": ("Backgammon", "Короткие нарды", "Короткі нарди"),
    "nackgammon": ("Nackgammon", "Накгаммон", "Накгамон"),
    "hypergammon1": ("Hypergammon, 1 checker", "Гипергаммон, шашек: 1", "Гіпергамон, шашок: 1"),
    "hypergammon2": ("Hypergammon, 2 checkers", "Гипергаммон, шашек: 2", "Гіпергамон, шашок: 2"),
    "hypergammon3": ("Hypergammon", "Гипергаммон", "Гіпергамон"),
    "long_nardy": ("Long nardy", "Длинные нарды", "Довгі нарди"),
    # sides
    "white": ("White", "Белые", "Білі"),
    "black": ("Black", "Чёрные", "Чорні"),
    "on_roll": ("On roll: {name}", "Ход: {name}", "Хід: {name}"),
    "own_points": ("own points", "свои пункты", "свої пункти"),
    # board
    "checker": ("checker", "шашка", "шашка"),
    "point": ("point", "пункт", "пункт"),
    "head": ("head", "голова", "голова"),
    "start_quarter": ("start quarter", "первая четверть", "стартова чверть"),
    "home_board": ("home board", "дом", "дім"),
    "outer_board": ("outer board", "двор", "двір"),
    "bar": ("bar", "бар", "бар"),
    "off": ("off", "снято", "знято"),
    "blot": ("blot", "блот", "блот"),
    "block": ("block", "блок", "блок"),
    "wall": ("wall", "стена", "стіна"),
    "prime": ("prime", "прайм", "прайм"),
    "stack": ("stack", "столбик", "стовпчик"),
    "n_on_point": ("{count} on {point}", "{count} на {point}", "{count} на {point}"),
    "n_on_bar": ("{count} on the bar", "{count} на баре", "{count} на барі"),
    "n_off": ("off: {count}", "снято: {count}", "знято: {count}"),
    "no_checkers": ("no checkers", "нет шашек", "немає шашок"),
    # dice and turns
    "dice": ("dice", "кости", "кубики"),
    "rolled": ("rolled {dice}", "бросок {dice}", "кидок {dice}"),
    "roll": ("roll", "бросок", "кидок"),
    "to_roll": ("on roll", "ход", "хід"),
    "double_roll": ("double", "дубль", "дубль"),
    "turn": ("turn", "ход", "хід"),
    "play": ("play", "ход", "хід"),
    "pips": ("pips", "пипсы", "очки"),
    "bear_in": ("bear in", "завод", "заведення"),
    "bear_off": ("bear off", "выброс", "зняття"),
    "pass_turn": ("no legal play", "нет хода", "немає ходу"),
    # results
    "win": ("win", "выигрыш", "виграш"),
    "lose": ("loss", "проигрыш", "програш"),
    "single": ("single", "простая игра", "проста гра"),
    "gammon": ("gammon", "марс", "марс"),
    "backgammon_result": ("backgammon", "кокс", "кокс"),
    "oin": ("oin", "оин", "оїн"),
    "mars": ("mars", "марс", "марс"),
    "koks": ("koks", "кокс", "кокс"),
    "home_mars": ("home mars", "домашний марс", "домашній марс"),
    "draw": ("draw", "ничья", "нічия"),
    "resign": ("resign", "сдача", "здача"),
    # cube
    "cube": ("cube", "куб", "куб"),
    "cube_centre": ("cube {value} in the centre", "куб {value} в центре", "куб {value} у центрі"),
    "cube_owned": (
        "cube {value}, owner: {name}",
        "куб {value}, владелец: {name}",
        "куб {value}, власник: {name}",
    ),
    "cube_offered": (
        "cube offered at {value}",
        "предложен куб {value}",
        "запропоновано куб {value}",
    ),
    "resigns": (
        "{name} offers to resign: {points}",
        "{name}: сдача, очков: {points}",
        "{name}: здача, очок: {points}",
    ),
    "double": ("double", "даве", "даве"),
    "redouble": ("redouble", "редабл", "редабл"),
    "no_double": ("no double", "без даве", "без даве"),
    "beaver": ("beaver", "бивер", "бівер"),
    "beavers": ("beavers", "с биверами", "з біверами"),
    "take": ("take", "принять", "прийняти"),
    "drop": ("pass", "пас", "пас"),
    "too_good": ("too good to double", "слишком хорошо для даве", "занадто добре для даве"),
    "jacoby": ("Jacoby", "правило Якоби", "правило Якобі"),
    "crawford": ("Crawford", "правило Кроуфорда", "правило Кроуфорда"),
    "post_crawford": ("post-Crawford", "после Кроуфорда", "після Кроуфорда"),
    # match
    "game": ("game", "партия", "партія"),
    "match": ("match", "матч", "матч"),
    "match_to": ("match to {length}", "матч до {length}", "матч до {length}"),
    "money_game": ("money game", "игра на деньги", "гра на гроші"),
    "score": ("score", "счёт", "рахунок"),
    # analysis
    "equity": ("equity", "эквити", "еквіті"),
    "rollout": ("rollout", "роллаут", "роллаут"),
    "luck": ("luck", "удача", "удача"),
    "error": ("error", "ошибка", "помилка"),
    "best": ("best", "лучший", "найкращий"),
}


def term(key: str, lang: str = "en", **values: object) -> str:
    """The word or phrase `key` in `lang` ("en", "ru", "uk"), {placeholders} filled in by `values`.

    Raises ValueError for a language or key that is not in the table.
    """
    if lang not in LANGUAGES:
        raise ValueError(f"language {lang!r}: choose one of {', '.join(LANGUAGES)}")
    if key not in _TERMS:
        raise ValueError(f"unknown term {key!r}")
    text = _TERMS[key][LANGUAGES.index(lang)]
    return text.format(**values) if values else text
